package com.wookler.river.core.log;

import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.message.DamagedMessageException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes a log directory fit to be opened, whatever ended the last run, and finds out what it holds.
 *
 * <ol>
 *   <li>Refuses a log of another queue, before anything is touched.
 *   <li>Removes what a crash leaves half made: temporary files, blocks made ahead, and the last
 *       block if its first header was never completed and nothing is in it. Chronicle would wait 12
 *       s for that. Removes Chronicle's own metadata file too: all in it follows from the block
 *       files, and a stale write lock or a truncated file would stop the open.
 *   <li>Takes the content of each sealed block from its seal, and walks those without one. Only the
 *       last blocks of the last run have none, so the time does not grow with the backlog.
 *   <li>Ends a block that breaks off with an end mark. Usually that is a document that was being
 *       written when the process died, for which no publish had returned. If whole messages stand
 *       behind the break, it is damage: the file is kept beside the log, sequences go on behind
 *       them, and readers meet the gap as damage.
 * </ol>
 *
 * <p>No byte that may belong to a message is deleted. Nothing else has the directory open: the
 * queue's LOCK is held.
 */
final class LogRecovery {
  private static final Logger LOG = LoggerFactory.getLogger(LogRecovery.class);
  private static final int START_SEARCH_BYTES = 256 << 10; // it stands behind the first index

  private final LogSettings settings;
  private final List<Path> leftovers = new ArrayList<>();
  private final SortedMap<Integer, Path> files = new TreeMap<>();
  private final SortedMap<Integer, Seal> seals = new TreeMap<>();
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

  /**
   * Looks through the directory and mends it.
   *
   * @throws RiverException it is the log of another queue; nothing was touched
   */
  Found run() throws IOException {
    list();
    refuseForeign();
    for (Path file : leftovers) {
      Files.delete(file);
    }
    Block active = null;
    for (Map.Entry<Integer, Path> entry : files.entrySet()) {
      int number = entry.getKey();
      active = take(number, entry.getValue(), number == files.lastKey());
    }
    noteMissingBlocks();
    if (active != null && active.endSequence() < nextSequence) {
      close(active); // its sequences cannot go on without a gap
      active = null;
    }
    if (active != null) {
      return new Found(sealed, active, started, nextSequence, lastMicros);
    }
    int number = 1 + Math.max(last(files), last(seals));
    Path file = BlockName.data(settings.directory(), number);
    return new Found(
        sealed, new Block(number, nextSequence, file), false, nextSequence, lastMicros);
  }

  private static int last(SortedMap<Integer, ?> blocks) {
    return blocks.isEmpty() ? 0 : blocks.lastKey();
  }

  private void list() throws IOException {
    LogFiles found = LogFiles.list(settings.directory());
    leftovers.addAll(found.passing());
    files.putAll(found.blocks());
    for (Map.Entry<Integer, Path> seal : found.seals().entrySet()) {
      readSeal(seal.getKey(), seal.getValue());
    }
  }

  private void readSeal(int number, Path file) throws IOException {
    try {
      Seal seal = Seal.read(file);
      if (seal.block() != number) {
        throw new DamagedMessageException("damaged: it is the seal of block " + seal.block());
      }
      seals.put(number, seal);
    } catch (DamagedMessageException e) {
      LOG.warn(
          "Queue {}: {}: {}; reading the block instead", settings.queue(), file, e.getMessage());
      leftovers.add(file);
    }
  }

  private void refuseForeign() throws IOException {
    for (Map.Entry<Integer, Seal> entry : seals.entrySet()) {
      refuse(entry.getValue().queue(), "the seal of block " + entry.getKey());
    }
    for (Map.Entry<Integer, Path> entry : files.entrySet()) {
      if (!seals.containsKey(entry.getKey())) {
        Optional<BlockStart> start = startOf(entry.getValue());
        if (start.isPresent()) {
          refuse(start.get().queue(), entry.getValue().toString());
        }
      }
    }
  }

  private void refuse(UUID owner, String what) {
    if (!owner.equals(settings.identity())) {
      throw new RiverException(
          "queue "
              + settings.queue()
              + " has the id "
              + settings.identity()
              + ", but "
              + what
              + " belongs to a queue with the id "
              + owner
              + "; nothing was touched. Restore its queue.json, or move the foreign files away");
    }
  }

  private static Optional<BlockStart> startOf(Path file) throws IOException {
    byte[] bytes;
    try (InputStream in = Files.newInputStream(file)) {
      bytes = in.readNBytes(START_SEARCH_BYTES);
    }
    return BlockStart.find(bytes);
  }

  /** Takes one block in; returns it if it is the one to go on appending to. */
  private @Nullable Block take(int number, Path file, boolean last) throws IOException {
    Seal seal = seals.get(number);
    if (!hasHeader(file)) {
      takeHeaderless(number, file, last, seal);
      return null;
    }
    if (seal != null) {
      Block block = Block.of(seal, file);
      note(block);
      sealed.add(block);
      return null;
    }
    BlockContent.Walked walked = BlockContent.walk(number, file, nextSequence, settings);
    reportDamage(walked);
    lastMicros = Math.max(lastMicros, walked.start().map(BlockStart::lastMicros).orElse(0L));
    long behind = keepWhatIsBehind(walked);
    boolean goesOn = last && endsForAppending(walked, behind);
    note(walked.block());
    nextSequence = Math.max(nextSequence, behind);
    if (goesOn) {
      started = walked.start().isPresent() || walked.block().messages() > 0;
      return walked.block();
    }
    if (walked.ending() == BlockScanner.Ending.CLOSED) {
      seal(walked.block());
    } else {
      close(walked.block());
    }
    return null;
  }

  private static boolean hasHeader(Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      ByteBuffer header = ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN);
      return channel.read(header, 0) == 4 && header.getInt(0) > 0;
    }
  }

  /** A block whose first header is gone, or was never completed. */
  private void takeHeaderless(int number, Path file, boolean last, @Nullable Seal seal)
      throws IOException {
    BlockSalvage.Found found = BlockSalvage.search(file, 0, settings, number);
    if (last && seal == null && found.messages() == 0) {
      Files.delete(file); // the process died while it was being made
      return;
    }
    Path aside = setAside(file);
    LOG.warn(
        "Queue {}: damaged: block {} has lost its first bytes and cannot be read; {} of its"
            + " messages are whole in {}",
        settings.queue(),
        number,
        found.messages(),
        aside);
    nextSequence = Math.max(nextSequence, found.endSequence());
    if (seal != null) {
      nextSequence = Math.max(nextSequence, seal.endSequence());
      lastMicros = Math.max(lastMicros, seal.lastMicros());
    }
  }

  private void reportDamage(BlockContent.Walked walked) {
    if (walked.damaged() > 0) {
      LOG.warn(
          "Queue {}: damaged: {} documents of block {}, the first at {}",
          settings.queue(),
          walked.damaged(),
          walked.block().number(),
          walked.firstDamage());
    }
  }

  /**
   * Looks behind a break for whole messages and keeps them; returns the sequence after the last.
   */
  private long keepWhatIsBehind(BlockContent.Walked walked) throws IOException {
    if (walked.ending() != BlockScanner.Ending.BROKEN) {
      return -1;
    }
    Block block = walked.block();
    BlockSalvage.Found found =
        BlockSalvage.search(block.file(), block.end(), settings, block.number());
    if (found.messages() == 0) {
      return -1;
    }
    Path copy = block.file().resolveSibling(block.file().getFileName() + LogFiles.DAMAGED);
    Files.copy(block.file(), copy, StandardCopyOption.REPLACE_EXISTING);
    LOG.warn(
        "Queue {}: damaged: block {} has a hole at byte {}: sequences {} to {} cannot be delivered;"
            + " {} of them, from {} on, are whole in {}",
        settings.queue(),
        block.number(),
        block.end(),
        block.endSequence(),
        found.endSequence() - 1,
        found.messages(),
        found.firstSequence(),
        copy);
    return found.endSequence();
  }

  /** Whether the last block can be appended to; cuts what was torn off a block without messages. */
  private static boolean endsForAppending(BlockContent.Walked walked, long behind)
      throws IOException {
    Block block = walked.block();
    boolean open = walked.ending() == BlockScanner.Ending.OPEN && isWhole(walked);
    if (!open && behind < 0 && walked.start().isPresent() && block.documents() == 0) {
      // deleting it could delete the only block, and with it the sequence to go on with
      cut(block.file(), block.end());
      return true;
    }
    return open;
  }

  /**
   * Whether Chronicle can go on appending: not where its own note of the last document points
   * behind the end, because a power loss or somebody's hand took the tail away.
   */
  private static boolean isWhole(BlockContent.Walked walked) throws IOException {
    Block block = walked.block();
    return !walked.endUnknown()
        && (block.documents() == 0 || ChronicleHeader.lastDocument(block.file()) < block.end());
  }

  /** Closes a block that breaks off, or that cannot go on. */
  private void close(Block block) throws IOException {
    if (block.messages() > 0) {
      LOG.warn(
          "Queue {}: block {} breaks off at byte {} behind sequence {}; closed it there",
          settings.queue(),
          block.number(),
          block.end(),
          block.endSequence() - 1);
      markEnd(block.file(), block.end());
    }
    seal(block);
  }

  /** Lists a closed block; one without messages goes, out of the way if it may be damaged. */
  private void seal(Block block) throws IOException {
    if (block.messages() > 0) {
      block.seal();
      sealed.add(block);
    } else if (block.documents() == 0) {
      Files.delete(block.file());
    } else {
      LOG.warn(
          "Queue {}: damaged: none of the {} documents of block {} can be read; set aside as {}",
          settings.queue(),
          block.documents(),
          block.number(),
          setAside(block.file()));
    }
  }

  private static Path setAside(Path file) throws IOException {
    Path aside = file.resolveSibling(file.getFileName() + LogFiles.DAMAGED);
    Files.move(file, aside, StandardCopyOption.REPLACE_EXISTING);
    return aside;
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

  /** Seals without a block: usual below the oldest block, where a removal ended half way. */
  private void noteMissingBlocks() throws IOException {
    long oldest = sealed.isEmpty() ? nextSequence : sealed.get(0).firstSequence();
    for (Map.Entry<Integer, Seal> entry : seals.entrySet()) {
      Seal seal = entry.getValue();
      if (files.containsKey(entry.getKey())) {
        continue;
      }
      if (seal.endSequence() <= oldest) {
        Path file = BlockName.seal(settings.directory(), seal.block());
        Files.deleteIfExists(file);
        continue;
      }
      LOG.warn(
          "Queue {}: damaged: the file of block {} is missing, and with it sequences {} to {}",
          settings.queue(),
          seal.block(),
          seal.firstSequence(),
          seal.endSequence() - 1);
      nextSequence = Math.max(nextSequence, seal.endSequence());
      lastMicros = Math.max(lastMicros, seal.lastMicros());
    }
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
}
