package com.wookler.river.core.log;

import com.wookler.river.core.message.DamagedMessageException;
import com.wookler.river.core.message.DocumentFormat;
import com.wookler.river.core.message.DocumentReader;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes a log directory fit to be opened, whatever ended the last run, and finds out what it holds.
 *
 * <ol>
 *   <li>Removes what a crash leaves half made: temporary files, blocks made ahead, and blocks whose
 *       first header was never completed. Chronicle would wait 12 s for those. Removes Chronicle's
 *       own metadata file too: all in it follows from the block files, and a stale write lock or a
 *       truncated file would stop the open.
 *   <li>Takes the content of each sealed block from its seal, and walks those without one. Only the
 *       last blocks of the last run have none, so the time does not grow with the backlog.
 *   <li>Ends a block that breaks off, in a document that was being written when the process died,
 *       with an end mark. No publish had returned for that document.
 * </ol>
 *
 * <p>Nothing else has the directory open: the queue's LOCK is held.
 */
final class LogRecovery {
  private static final Logger LOG = LoggerFactory.getLogger(LogRecovery.class);
  private static final int READ_BYTES = 1 << 20;
  private static final String DAMAGED = ".damaged";

  private final LogSettings settings;
  private final List<Block> sealed = new ArrayList<>();
  private long nextSequence;
  private long lastMicros;
  private boolean started; // whether the active block has its first document

  LogRecovery(LogSettings settings) {
    this.settings = settings;
  }

  /**
   * What the directory holds.
   *
   * @param sealed closed blocks, oldest first; none is empty
   * @param active the block to append to
   * @param activeStarted whether its file is there and has its first document, which carries the
   *     sequence on
   * @param nextSequence of the next message
   * @param lastMicros publish time that the next one must not go below
   */
  record Found(
      List<Block> sealed,
      Block active,
      boolean activeStarted,
      long nextSequence,
      long lastMicros) {}

  Found run() throws IOException {
    SortedMap<Integer, Path> files = cleanedFiles();
    Block active = null;
    int number = 1;
    for (Map.Entry<Integer, Path> entry : files.entrySet()) {
      number = entry.getKey();
      active = take(number, entry.getValue(), number == files.lastKey());
      number++;
    }
    if (active != null) {
      return new Found(sealed, active, started, nextSequence, lastMicros);
    }
    Block fresh = new Block(number, nextSequence, file(number));
    return new Found(sealed, fresh, false, nextSequence, lastMicros);
  }

  private Path file(int number) {
    return settings.directory().resolve(BlockName.of(number) + BlockName.DATA);
  }

  private SortedMap<Integer, Path> cleanedFiles() throws IOException {
    SortedMap<Integer, Path> files = new TreeMap<>();
    List<Path> leftovers = new ArrayList<>();
    try (DirectoryStream<Path> all = Files.newDirectoryStream(settings.directory())) {
      for (Path file : all) {
        String name = String.valueOf(file.getFileName());
        if (name.endsWith(BlockName.AHEAD)
            || name.endsWith(DurableFiles.TEMPORARY)
            || name.equals(ChronicleStore.METADATA)
            || (BlockName.number(file).isPresent() && !hasHeader(file))) {
          leftovers.add(file);
        } else {
          BlockName.number(file).ifPresent(number -> files.put(number, file));
        }
      }
    }
    for (Path file : leftovers) {
      Files.delete(file);
    }
    return files;
  }

  private static boolean hasHeader(Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      ByteBuffer header = ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN);
      return channel.read(header, 0) == 4 && header.getInt(0) > 0;
    }
  }

  /** Takes one block in; returns it if it is the one to go on appending to. */
  private @Nullable Block take(int number, Path file, boolean last) throws IOException {
    Block block = bySeal(number, file);
    if (block == null) {
      Walked walked = walk(number, file);
      block = walked.block;
      boolean open = walked.ending == BlockScanner.Ending.OPEN && isWhole(walked);
      if (last && walked.started && block.documents() == 0 && !open) {
        // deleting it could delete the only block, and with it the sequence to go on with
        cut(file, block.end());
        open = true;
      }
      if (last && open) {
        started = walked.started || block.messages() > 0;
        note(block);
        return block;
      }
      if (block.messages() == 0) {
        remove(block);
        note(block);
        return null;
      }
      if (walked.ending != BlockScanner.Ending.CLOSED) {
        LOG.warn(
            "Queue {}: block {} breaks off at byte {} behind sequence {}; closed it there",
            settings.queue(),
            number,
            block.end(),
            block.endSequence() - 1);
        markEnd(file, block.end());
      }
      block.seal();
    }
    note(block);
    sealed.add(block);
    return null;
  }

  /**
   * Deletes a block without messages; keeps what may be all that is left of some, out of the way.
   */
  private void remove(Block block) throws IOException {
    if (block.documents() == 0) {
      Files.delete(block.file());
      return;
    }
    Path aside = block.file().resolveSibling(block.file().getFileName() + DAMAGED);
    Files.move(block.file(), aside, StandardCopyOption.REPLACE_EXISTING);
    LOG.warn(
        "Queue {}: damaged: none of the {} documents of block {} can be read; set aside as {}",
        settings.queue(),
        block.documents(),
        block.number(),
        aside);
  }

  /**
   * Whether Chronicle can go on appending: not where its own note of the last document points
   * behind the end, because a power loss or somebody's hand took the tail away.
   */
  private static boolean isWhole(Walked walked) throws IOException {
    Block block = walked.block;
    return !walked.endUnknown
        && (block.documents() == 0 || ChronicleHeader.lastDocument(block.file()) < block.end());
  }

  private void note(Block block) {
    if (block.firstSequence() != nextSequence && !sealed.isEmpty()) {
      LOG.warn(
          "Queue {}: damaged: block {} starts at sequence {} where {} should follow",
          settings.queue(),
          block.number(),
          block.firstSequence(),
          nextSequence);
    }
    nextSequence = Math.max(nextSequence, block.endSequence());
    lastMicros = Math.max(lastMicros, block.lastMicros());
  }

  private @Nullable Block bySeal(int number, Path file) throws IOException {
    Path sealFile = settings.directory().resolve(BlockName.of(number) + BlockName.SEAL);
    if (!Files.exists(sealFile)) {
      return null;
    }
    try {
      Seal seal = Seal.read(sealFile);
      if (!seal.queue().equals(settings.identity()) || seal.block() != number) {
        throw new DamagedMessageException("damaged: it is the seal of another block");
      }
      return Block.of(seal, file);
    } catch (DamagedMessageException e) {
      LOG.warn(
          "Queue {}: {}: {}; reading the block instead",
          settings.queue(),
          sealFile,
          e.getMessage());
      Files.delete(sealFile);
      return null;
    }
  }

  /**
   * A block that was walked.
   *
   * @param started it has its first document
   * @param endUnknown its last document is damaged where its sequences stand: what is appended
   *     behind it could not be found by place
   */
  private record Walked(
      Block block, BlockScanner.Ending ending, boolean started, boolean endUnknown) {}

  private Walked walk(int number, Path file) throws IOException {
    Content content = new Content(number);
    BlockScanner.Result result;
    try (InputStream in = new BufferedInputStream(Files.newInputStream(file), READ_BYTES)) {
      result = BlockScanner.scan(in, content);
    }
    long first =
        result.start().map(BlockStart::firstSequence).orElse(Math.max(nextSequence, content.first));
    lastMicros = Math.max(lastMicros, result.start().map(BlockStart::lastMicros).orElse(0L));
    Seal seal =
        new Seal(
            settings.identity(),
            number,
            first,
            Math.max(0, content.end - first),
            content.documents,
            result.end(),
            content.firstMicros,
            content.lastMicros,
            content.digest);
    return new Walked(
        Block.unsealed(seal, file, content.bytes),
        result.ending(),
        result.start().isPresent(),
        content.endUnknown);
  }

  private static void cut(Path file, long offset) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.truncate(offset);
      channel.force(true);
    }
  }

  private static void markEnd(Path file, long offset) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      ByteBuffer mark = ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN);
      mark.putInt(0, BlockScanner.END);
      channel.write(mark, offset);
      channel.force(true);
    }
  }

  /** Adds up a block's documents while it is walked. */
  private final class Content implements BlockScanner.Visitor {
    private final int number;
    private final DocumentReader reader = new DocumentReader(settings.identity());
    private long first = Long.MIN_VALUE;
    private long end;
    private long documents;
    private long bytes;
    private long firstMicros;
    private long lastMicros;
    private long digest;
    private boolean endUnknown;

    Content(int number) {
      this.number = number;
    }

    @Override
    public void document(long offset, byte[] document, int length) {
      documents++;
      endUnknown = true;
      try {
        reader.open(document, length, number);
        endUnknown = false;
        if (first == Long.MIN_VALUE) {
          first = reader.firstSequence();
          firstMicros = reader.micros();
        }
        end = reader.firstSequence() + reader.count();
        lastMicros = reader.micros();
        digest = DocumentFormat.digest(digest, reader.verify());
      } catch (DamagedMessageException e) {
        LOG.warn(
            "Queue {}: block {}, byte {}: {}", settings.queue(), number, offset, e.getMessage());
      }
    }
  }
}
