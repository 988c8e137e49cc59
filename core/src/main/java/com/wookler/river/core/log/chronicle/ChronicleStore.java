package com.wookler.river.core.log.chronicle;

import com.wookler.river.common.errors.DamagedException;
import com.wookler.river.common.file.DurableFiles;
import com.wookler.river.common.file.NotNowException;
import com.wookler.river.common.file.Unreadable;
import com.wookler.river.core.message.DamagedMessageException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.function.IntFunction;
import net.openhft.chronicle.bytes.Bytes;
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
 * The one Chronicle queue under a log, with its one appender and our roll cycle. Blocks are not
 * read by it: to open one it lists the directory, and holds a descriptor ({@link ReadMappings}).
 */
final class ChronicleStore implements BlockStore {
  /** Chronicle's own file; all in it follows from the block files. */
  static final String METADATA = "metadata.cq4t";

  /** Chronicle's name for the first block that it has not ended yet. */
  private static final String ENDED_BELOW = "normalisedEOFsTo";

  private static final long LOCK_TIMEOUT_MILLIS = 3_000;
  private static final int OVERLAP = 4; // Chronicle maps a chunk, and this part of one more

  private final Path directory;
  private final IntFunction<Path> files;
  private final BlockRollCycle cycle;
  private final SingleChronicleQueue queue;
  private final ExcerptAppender appender;
  private final InPlaceAppender inPlace = new InPlaceAppender(); // guarded by the log's append lock
  private final ReadMappings readers;
  private @Nullable SingleChronicleQueueStore prepared; // guarded by the log's append lock
  private volatile @Nullable Live live; // written under the append lock

  /** The appender's mapping of a block, which it keeps as long as it appends there. */
  private record Live(int block, MappedBytesStore mapping) {
    /** Returns a window on it, which keeps it mapped; null if it has ended, or lacks the offset. */
    @Nullable BlockWindow window(long offset) {
      ReferenceOwner owner = ReferenceOwner.temporary("window");
      if (!mapping.inside(offset) || !mapping.tryReserve(owner)) {
        return null;
      }
      long from = mapping.start();
      long base = mapping.addressForRead(from) - from;
      return new BlockWindow(
          block, from, mapping.realCapacity(), base, 0, () -> mapping.release(owner));
    }
  }

  ChronicleStore(Path directory, IntFunction<Path> files, int block, long chunkBytes) {
    this.directory = directory;
    this.files = files;
    cycle = new BlockRollCycle(block);
    readers = new ReadMappings(files, chunkBytes + chunkBytes / OVERLAP);
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
      leaveOlderBlocks(block);
      appender = queue.createAppender();
      appender.singleThreadedCheckDisabled(true);
      closeTableDescriptor();
    } catch (Throwable e) {
      closeQueue();
      throw e;
    }
  }

  /** Keeps the first write from ending all older blocks, over the messages of a damaged one. */
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

  @Override
  public void append(AppendSource document) {
    if (!inPlace.append(document)) {
      appender.writeBytes(document.bytes());
      inPlace.continues(appender.wire());
    }
  }

  @Override
  public void startBlock(int block, byte[] start) {
    inPlace.release();
    cycle.block(block);
    try (DocumentContext context = appender.writingDocument(true)) {
      Bytes<?> out = context.wire().bytes();
      out.write(start);
    } finally {
      releasePrepared();
    }
    live =
        appender.wire().bytes().bytesStore() instanceof MappedBytesStore mapping
            ? new Live(block, mapping)
            : null;
  }

  @Override
  public void prepare(int block) throws IOException {
    try {
      releasePrepared();
      prepared = queue.storeForCycle(block, BlockRollCycle.EPOCH, true, null);
    } catch (Throwable e) { // Chronicle throws what it does not declare
      Path file = files.apply(block);
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

  @Override
  public long position() {
    long known = inPlace.position();
    return known > 0 ? known : (appender.wire().bytes().writePosition() + 3) & ~3L;
  }

  @Override
  public @Nullable MappedPages pages(long from, long to) {
    if (!(appender.wire().bytes().bytesStore() instanceof MappedBytesStore mapping)
        || !mapping.inside(from)) {
      return null;
    }
    return new MappedPages(mapping, from, Math.min(to, mapping.safeLimit()));
  }

  @Override
  public BlockWindow window(int block, long offset) throws IOException {
    Live at = live;
    BlockWindow window = at != null && at.block == block ? at.window(offset) : null;
    if (window == null) {
      window = shared(block);
    }
    if (!window.has(offset, DocumentHeader.BYTES)) {
      window.close();
      throw new DamagedMessageException("damaged: its block leads to byte " + offset);
    }
    return window;
  }

  private BlockWindow shared(int block) throws IOException {
    try {
      return readers.window(block);
    } catch (DamagedException e) {
      throw e;
    } catch (Throwable e) {
      throw damaged(block, e);
    }
  }

  /** Returns the exception for a damaged block; throws if it only cannot be read now. */
  private DamagedMessageException damaged(int block, Throwable error) throws IOException {
    IOException passing = Unreadable.passing(error, files.apply(block));
    if (passing != null) {
      throw passing;
    }
    if (error instanceof Error fatal && !(error instanceof InternalError)) {
      throw fatal;
    }
    return new DamagedMessageException("damaged: the block cannot be read: " + error, error);
  }

  @Override
  public void remove(int block) {
    readers.remove(block);
  }

  @Override
  public void replace(int block, Replacement replacement) throws IOException {
    readers.replace(block, replacement);
  }

  @Override
  public void unmapIdle() {
    readers.unmapIdle();
  }

  @Override
  public void close() {
    readers.close();
    releasePrepared();
    inPlace.release();
    appender.close();
    closeQueue();
  }

  private void closeQueue() {
    queue.close();
    BackgroundResourceReleaser.releasePendingResources();
  }
}
