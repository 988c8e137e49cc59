package com.wookler.river.core.log;

import com.wookler.river.common.PageFaults;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.file.DurableFiles;
import com.wookler.river.core.message.DamagedMessageException;
import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.function.LongSupplier;
import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.bytes.BytesStore;
import net.openhft.chronicle.bytes.MappedBytes;
import net.openhft.chronicle.bytes.MappedBytesStore;
import net.openhft.chronicle.bytes.SyncMode;
import net.openhft.chronicle.core.io.BackgroundResourceReleaser;
import net.openhft.chronicle.core.io.ReferenceOwner;
import net.openhft.chronicle.queue.ExcerptAppender;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueue;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueueBuilder;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueueStore;
import net.openhft.chronicle.wire.DocumentContext;
import org.jspecify.annotations.Nullable;

/**
 * The one Chronicle queue under a log, with its one appender and our roll cycle.
 *
 * <p>Appending and rolling are guarded by the log's append lock. {@link #close} needs that no
 * tailer is in a call: a mapping that goes away under a reader ends the JVM.
 */
final class ChronicleStore implements AutoCloseable {
  /** Chronicle's own file; all in it follows from the block files. */
  static final String METADATA = "metadata.cq4t";

  /** Chronicle's name for the first block that it has not ended yet. */
  private static final String ENDED_BELOW = "normalisedEOFsTo";

  private static final long LOCK_TIMEOUT_MILLIS = 3_000;

  private final Path directory;
  private final BlockRollCycle cycle;
  private final SingleChronicleQueue queue;
  private final ExcerptAppender appender;
  private @Nullable SingleChronicleQueueStore prepared; // guarded by the log's append lock

  /**
   * Opens the directory, whose files have been looked through by {@link LogRecovery}.
   *
   * @param block the number of the active block, which may not exist yet
   * @param chunkBytes what is mapped of a block at a time; a document may take a quarter of it
   */
  ChronicleStore(Path directory, int block, long chunkBytes) {
    this.directory = directory;
    cycle = new BlockRollCycle(block);
    queue =
        SingleChronicleQueueBuilder.binary(directory)
            .rollCycle(cycle)
            .epoch(BlockRollCycle.EPOCH)
            .blockSize(chunkBytes)
            .timeoutMS(LOCK_TIMEOUT_MILLIS)
            .syncMode(SyncMode.NONE)
            .build();
    try {
      DurableFiles.ownerOnly(directory.resolve(METADATA));
      OwnWriteLock.install(queue);
      leaveOlderBlocks(block);
      appender = queue.createAppender();
      appender.singleThreadedCheckDisabled(true);
      closeTableDescriptor();
    } catch (Throwable e) {
      closeQueue();
      throw e;
    }
  }

  /**
   * Else the appender's first write goes through all blocks before, to end each where it thinks
   * that it ends; in a damaged one it writes over messages.
   */
  private void leaveOlderBlocks(int active) {
    queue.tableStorePut(ENDED_BELOW, active);
  }

  /** Chronicle's table is mapped whole and never grows, so its descriptor has no further use. */
  private void closeTableDescriptor() {
    try {
      queue.metaStore().bytes().mappedFile().raf().close();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot close " + directory.resolve(METADATA), e);
    }
  }

  /**
   * Opens a log whose blocks were found. What is mapped at a time has room for all of any block:
   * they may be from a time in which {@code queue.block.bytes} or {@code queue.max.message.bytes}
   * was larger, or may have been restored.
   */
  static ChronicleStore open(LogSettings settings, LogRecovery.Found found) {
    long largest = found.active().end();
    for (Block block : found.sealed()) {
      largest = Math.max(largest, block.end());
    }
    long chunk =
        Math.max(settings.chunkBytes(), BlockSpace.roundUp(largest) + BlockSpace.PAGE_BYTES);
    try {
      return new ChronicleStore(settings.directory(), found.active().number(), chunk);
    } catch (RuntimeException | InternalError e) { // such as a table that Chronicle made read-only
      PageFaults.settle();
      throw new RiverException(
          "queue "
              + settings.queue()
              + ": cannot make or map the files of the log in "
              + settings.directory()
              + "; see that its volume can be written and has space, then open the queue again: "
              + e,
          e);
    }
  }

  /** Appends one document to the active block. */
  void append(BytesStore<?, ?> document) {
    appender.writeBytes(document);
  }

  /**
   * Closes the active block and starts this one, whose first bytes are {@code start}, hidden from
   * readers.
   */
  void startBlock(int block, byte[] start) {
    cycle.block(block);
    try (DocumentContext context = appender.writingDocument(true)) {
      Bytes<?> out = context.wire().bytes();
      out.write(start);
    } finally {
      releasePrepared();
    }
  }

  /**
   * Opens and maps the file of a block that is about to start, so that {@link #startBlock} opens
   * nothing: the appender is of no use any more once it could not open a file.
   *
   * @throws NotNowException the file cannot be opened or mapped now
   */
  void prepare(int block) throws IOException {
    try {
      releasePrepared();
      prepared = queue.storeForCycle(block, BlockRollCycle.EPOCH, true, null);
    } catch (Throwable e) { // Chronicle throws what it does not declare
      Path file = BlockName.data(directory, block);
      IOException passing = Unreadable.passing(e, file);
      if (passing == null) {
        throw e;
      }
      throw new NotNowException("cannot open " + file, passing);
    }
  }

  private void releasePrepared() {
    SingleChronicleQueueStore held = prepared;
    prepared = null;
    if (held != null) {
      queue.closeStore(held);
    }
  }

  /** Bytes in use of the active block: where the next header goes, after padding. */
  long position() {
    return (appender.wire().bytes().writePosition() + 3) & ~3L;
  }

  /**
   * Pages of the active block, kept mapped until they are closed; null if they are not mapped yet.
   *
   * @param to may be beyond the mapping, which then ends them
   */
  @Nullable Pages pages(long from, long to) {
    if (!(appender.wire().bytes().bytesStore() instanceof MappedBytesStore mapping)
        || !mapping.inside(from)) {
      return null;
    }
    Pages pages = new Pages(mapping, from, Math.min(to, mapping.safeLimit()));
    mapping.reserve(pages);
    return pages;
  }

  /** A part of a mapping. */
  static final class Pages implements ReferenceOwner, AutoCloseable {
    private static final long PAGE_BYTES = 4 << 10;
    private static final long RUN_BYTES = 16 * PAGE_BYTES;
    private static final long APART_BYTES = 2 * RUN_BYTES;

    private final MappedBytesStore mapping;
    private final long from;
    private final long to;

    private Pages(MappedBytesStore mapping, long from, long to) {
      this.mapping = mapping;
      this.from = from;
      this.to = to;
    }

    /**
     * Writes what is there into one place of each page; safe beside an append.
     *
     * @param appended how far the appender has come, which is asked again and again: in a page that
     *     both want at once they would wait for each other
     */
    void touch(LongSupplier appended) {
      long page = from & -PAGE_BYTES;
      while (page < to) {
        page = Math.max(page, (appended.getAsLong() + APART_BYTES) & -PAGE_BYTES);
        long end = Math.min(to, page + RUN_BYTES);
        for (; page < end; page += PAGE_BYTES) {
          mapping.compareAndSwapInt(page, 0, 0);
        }
      }
    }

    @Override
    public void close() {
      mapping.release(this);
    }
  }

  /**
   * Returns what is mapped of a block around an offset.
   *
   * @throws DamagedMessageException the block has no file, or one that is none of a block
   * @throws IOException its file cannot be opened or mapped now
   */
  BlockWindow window(int block, long offset) throws IOException {
    SingleChronicleQueueStore file = null;
    try {
      tryToOpen(block);
      file = queue.storeForCycle(block, BlockRollCycle.EPOCH, false, null);
      if (file == null) {
        throw new DamagedMessageException("damaged: its block has no file, or one without a start");
      }
      return window(block, file, offset);
    } catch (DamagedMessageException e) {
      throw e;
    } catch (Throwable e) { // Chronicle throws what it does not declare
      if (file != null) {
        queue.closeStore(file);
      }
      throw damaged(block, e);
    }
  }

  /** Chronicle would try to make the file instead, and warn of that with each poll. */
  private void tryToOpen(int block) throws IOException {
    File file = BlockName.data(directory, block).toFile();
    if (file.exists()) {
      new RandomAccessFile(file, "r").close();
    }
  }

  /**
   * Returns what tells that a block is damaged.
   *
   * @throws IOException this does not: it cannot be read now
   */
  private DamagedMessageException damaged(int block, Throwable error) throws IOException {
    IOException passing = Unreadable.passing(error, BlockName.data(directory, block));
    if (passing != null) {
      throw passing;
    }
    if (error instanceof Error fatal && !(error instanceof InternalError)) {
      throw fatal;
    }
    return new DamagedMessageException("damaged: the block cannot be read: " + error, error);
  }

  private BlockWindow window(int block, SingleChronicleQueueStore file, long offset)
      throws IOException {
    file.singleThreadedCheckDisabled(true);
    MappedBytes bytes = file.bytes();
    ReferenceOwner borrower = ReferenceOwner.temporary("window");
    try {
      MappedBytesStore mapping = bytes.mappedFile().acquireByteStore(borrower, offset);
      try {
        return new BlockWindow(block, mapping, () -> queue.closeStore(file));
      } finally {
        mapping.release(borrower);
      }
    } finally {
      bytes.releaseLast();
    }
  }

  /** Lets Chronicle notice that block files were removed. */
  void forgetRemoved() {
    queue.refreshDirectoryListing();
  }

  /** Closes the queue; its mappings are gone when this returns. */
  @Override
  public void close() {
    releasePrepared();
    appender.close();
    closeQueue();
  }

  private void closeQueue() {
    queue.close();
    BackgroundResourceReleaser.releasePendingResources();
  }
}
