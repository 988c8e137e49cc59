package com.wookler.river.core.log;

import com.wookler.river.common.errors.RiverException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes a log directory fit to be opened, whatever ended the last run, and finds out what it holds.
 *
 * <ol>
 *   <li>Refuses a log of another queue, before anything is touched. Removes what a crash leaves
 *       half made: temporary files and blocks made ahead; and Chronicle's own metadata file: all in
 *       it follows from the block files, and a stale write lock or a truncated file would stop the
 *       open ({@link LogTriage}).
 *   <li>Takes the content of each sealed block from its seal, and walks those without one, or that
 *       are not what their seal says. Usually only the last blocks of the last run have none, so
 *       the time does not grow with the backlog. So far nothing of a block was changed.
 *   <li>The next sequence is above all that the log holds, all that {@link LogMarks} say it held,
 *       and all that a subscriber has finished. What no block holds is a gap ({@link GapFinder}).
 *       Marks and gaps are brought to the device.
 *   <li>Then blocks are mended ({@link Mending}). One that breaks off is ended with an end mark.
 *       Usually that is a document that was being written when the process died, for which no
 *       publish had returned. If whole messages stand behind the break, the file is kept beside the
 *       log. The last block goes if its first header was never completed and nothing is in it:
 *       Chronicle would wait 12 s for that.
 * </ol>
 *
 * <p>No byte that may belong to a message is deleted, and a crash within leads to the same result
 * the next time. Nothing else has the directory open: the queue's LOCK is held.
 */
final class LogRecovery {
  private static final Logger LOG = LoggerFactory.getLogger(LogRecovery.class);

  private final LogSettings settings;
  private final Device device;
  private final LogTriage files;
  private final Mending mending;
  private final List<Block> sealed = new ArrayList<>();
  private long end; // behind the last message that is there, or that a block says was there
  private long oldest = Long.MAX_VALUE; // the first sequence of which something is known
  private long lastMicros;
  private long torn; // bytes of documents that were being written
  private int damagedBlocks;
  private boolean started; // whether the active block has its first document

  private LogRecovery(LogSettings settings, Device device) throws IOException {
    this.settings = settings;
    this.device = device;
    this.files = LogTriage.list(settings, device);
    this.mending = new Mending(device);
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
   * @param marks open; whoever takes them closes them
   * @param gaps what is lost
   * @param repaired what was done, for the line that says how the log was opened
   */
  record Found(
      List<Block> sealed,
      Block active,
      boolean activeStarted,
      long nextSequence,
      long lastMicros,
      LogMarks marks,
      Gaps gaps,
      String repaired) {}

  /**
   * Looks through the directory and mends it; makes it if there is none.
   *
   * @param finished no new message may take a sequence below it
   * @throws RiverException it cannot be read or written; or it is the log of another queue, and
   *     nothing was touched
   */
  static Found open(LogSettings settings, long finished, Device device) {
    try {
      DurableFiles.createDirectories(settings.directory());
      return run(settings, finished, device);
    } catch (IOException e) {
      throw new RiverException(
          "queue " + settings.queue() + ": cannot open the log in " + settings.directory(), e);
    }
  }

  private static Found run(LogSettings settings, long finished, Device device) throws IOException {
    LogRecovery recovery = new LogRecovery(settings, device);
    LogMarks marks = LogMarks.open(settings, recovery.files.newest() == 0);
    try {
      return recovery.run(marks, finished);
    } catch (Throwable e) {
      marks.close();
      throw e;
    }
  }

  private Found run(LogMarks marks, long finished) throws IOException {
    int newest = Math.max(marks.block(), files.newest());
    files.tidy();
    Block last = null;
    for (Map.Entry<Integer, Path> entry : files.blocks().entrySet()) {
      int number = entry.getKey();
      last = take(number, entry.getValue(), number == files.blocks().lastKey(), marks.end());
    }
    noteMissingBlocks(last);
    long next = Math.max(end, Math.max(marks.end(), finished));
    if (oldest == Long.MAX_VALUE && next > 0) {
      damagedBlocks++;
      LOG.warn(
          "Queue {}: damaged: no block in {} says which messages it held, but the log went on to"
              + " sequence {} and block {}; what is in no backup is lost",
          settings.queue(),
          settings.directory(),
          next - 1,
          newest);
    }
    if (last != null && last.endSequence() < next) {
      close(last); // its sequences cannot go on without a gap
      last = null;
    }
    GapFinder gaps = findGaps(last, next, newest, marks.forced());
    settle(marks, gaps, next, newest);
    mending.run();
    Block active =
        last == null
            ? new Block(newest + 1, next, BlockName.data(settings.directory(), newest + 1))
            : last;
    boolean begun = last != null && started;
    return new Found(sealed, active, begun, next, lastMicros, marks, gaps.gaps(), repaired(gaps));
  }

  /** Brings what was found to the device, before anything is done about it. */
  private void settle(LogMarks marks, GapFinder gaps, long next, int newest) throws IOException {
    if (next > marks.end() || newest > marks.block() || !mending.isEmpty()) {
      marks.end(next);
      marks.block(newest);
      marks.force();
      device.mended(settings.directory().resolve(LogMarks.NAME));
    }
    if (gaps.isNews()) {
      write(gaps.gaps());
      device.mended(settings.directory().resolve(Gaps.NAME));
      gaps.report();
    }
  }

  private void write(Gaps gaps) throws IOException {
    try {
      gaps.write(settings);
    } catch (IOException e) {
      if (!Volume.isFull(e, settings.directory(), device)) {
        throw e;
      }
      LOG.warn(
          "Queue {}: no space for {} in {}; the next opening finds and reports them again",
          settings.queue(),
          Gaps.NAME,
          settings.directory(),
          e);
    }
  }

  private GapFinder findGaps(@Nullable Block last, long next, int newest, long forcedMark)
      throws IOException {
    long forced = forcedMark;
    for (Seal seal : files.seals().values()) {
      forced = Math.max(forced, seal.endSequence()); // none is written before the force
    }
    GapFinder finder = new GapFinder(settings, Gaps.read(settings), forced, Math.min(oldest, next));
    sealed.forEach(finder::block);
    if (last != null) {
      finder.block(last);
    }
    finder.end(next, newest);
    return finder;
  }

  private String repaired(GapFinder gaps) {
    List<String> done = new ArrayList<>();
    if (torn > 0) {
      done.add(torn + " torn bytes cut");
    }
    if (damagedBlocks > 0) {
      done.add("blocks damaged: " + damagedBlocks);
    }
    long lost = gaps.unknown().stream().mapToLong(Gaps.Gap::messages).sum();
    if (lost > 0) {
      done.add(lost + " messages lost in " + gaps.unknown().size() + " gaps");
    }
    return done.isEmpty() ? "nothing to repair" : String.join(", ", done);
  }

  /** Takes one block in; returns it if it is the one to go on appending to. */
  private @Nullable Block take(int number, Path file, boolean last, long endMark)
      throws IOException {
    files.start(number).ifPresent(start -> oldest = Math.min(oldest, start.firstSequence()));
    Seal seal = files.seals().get(number);
    if (!hasHeader(file)) {
      takeHeaderless(number, file, last && endMark <= end, seal);
      return null;
    }
    if (seal != null && isAsSealed(seal, file)) {
      Block block = Block.of(seal, file);
      note(block);
      sealed.add(block);
      return null;
    }
    BlockContent.Walked walked =
        BlockContent.walk(number, file, seal == null ? end : seal.firstSequence(), settings);
    reportDamage(walked);
    lastMicros = Math.max(lastMicros, walked.start().map(BlockStart::lastMicros).orElse(0L));
    long behind = keepWhatIsBehind(walked);
    boolean goesOn = last && seal == null && endsForAppending(walked, behind);
    note(walked.block());
    end = Math.max(end, Math.max(behind, seal == null ? 0 : seal.endSequence()));
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

  /** A block that is not what its seal says is walked, and gets another seal. */
  private boolean isAsSealed(Seal seal, Path file) throws IOException {
    String wrong = files.unlikeSeal(seal);
    if (wrong.isEmpty()) {
      return true;
    }
    damagedBlocks++;
    LOG.warn("Queue {}: damaged: {}: {}; reading what is there", settings.queue(), file, wrong);
    mending.delete(BlockName.seal(settings.directory(), seal.block()));
    return false;
  }

  private static boolean hasHeader(Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      ByteBuffer header = ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN);
      return channel.read(header, 0) == 4 && header.getInt(0) > 0;
    }
  }

  /**
   * A block whose first header is gone, or was never completed; or of which a power loss has left
   * nothing but zeros.
   *
   * @param mayBeNew whether the process may have died while it was being made
   */
  private void takeHeaderless(int number, Path file, boolean mayBeNew, @Nullable Seal seal)
      throws IOException {
    BlockSalvage.Found found = BlockSalvage.search(file, 0, settings, number);
    boolean isEmpty = found.usedEnd() == 0 || (mayBeNew && found.messages() == 0);
    if (isEmpty && seal == null) {
      mending.delete(file);
      return;
    }
    damagedBlocks++;
    LOG.warn(
        "Queue {}: damaged: block {} has lost its first bytes and cannot be read; {} of its"
            + " messages are whole in {}",
        settings.queue(),
        number,
        found.messages(),
        mending.moveAside(file));
    oldest = Math.min(oldest, found.firstSequence());
    end = Math.max(end, found.endSequence());
    if (seal != null) {
      lost(seal);
    }
  }

  /** A block with this seal is not there any more. */
  private void lost(Seal seal) {
    oldest = Math.min(oldest, seal.firstSequence());
    end = Math.max(end, seal.endSequence());
    lastMicros = Math.max(lastMicros, seal.lastMicros());
    mending.delete(BlockName.seal(settings.directory(), seal.block()));
  }

  private void reportDamage(BlockContent.Walked walked) {
    if (walked.damaged() > 0) {
      damagedBlocks++;
      LOG.warn(
          "Queue {}: damaged: {} documents of {}, the first at {}",
          settings.queue(),
          walked.damaged(),
          walked.block().file(),
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
      torn += Math.max(BlockScanner.HEADER_BYTES, found.usedEnd() - block.end());
      return -1;
    }
    damagedBlocks++;
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
        mending.copyAside(settings.directory(), block.file(), found.usedEnd()));
    return found.endSequence();
  }

  /** Whether the last block can be appended to; cuts what was torn off a block without messages. */
  private boolean endsForAppending(BlockContent.Walked walked, long behind) throws IOException {
    Block block = walked.block();
    boolean open = walked.ending() == BlockScanner.Ending.OPEN && isWhole(walked);
    if (!open && behind < 0 && walked.start().isPresent() && block.documents() == 0) {
      // deleting it could delete the only block, and with it the sequence to go on with
      mending.cut(block.file(), block.end());
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
  private void close(Block block) {
    if (block.messages() > 0) {
      LOG.warn(
          "Queue {}: block {} breaks off at byte {} behind sequence {}; closed it there",
          settings.queue(),
          block.number(),
          block.end(),
          block.endSequence() - 1);
      mending.markEnd(block.file(), block.end());
    }
    seal(block);
  }

  /** Lists a closed block; one without messages goes, out of the way if it may be damaged. */
  private void seal(Block block) {
    if (block.messages() > 0) {
      block.seal();
      sealed.add(block);
    } else if (block.documents() == 0) {
      mending.delete(block.file());
    } else {
      LOG.warn(
          "Queue {}: damaged: none of the {} documents of block {} can be read; set aside as {}",
          settings.queue(),
          block.documents(),
          block.number(),
          mending.moveAside(block.file()));
    }
  }

  private void note(Block block) {
    if (block.firstSequence() < end && !sealed.isEmpty()) {
      LOG.warn(
          "Queue {}: damaged: block {} starts at sequence {} where {} should follow",
          settings.queue(),
          block.number(),
          block.firstSequence(),
          end);
    }
    if (block.messages() > 0) {
      oldest = Math.min(oldest, block.firstSequence());
    }
    end = Math.max(end, block.endSequence());
    lastMicros = Math.max(lastMicros, block.lastMicros());
  }

  /** Seals without a block: usual below the oldest block, where a removal ended half way. */
  private void noteMissingBlocks(@Nullable Block last) {
    long held = last == null ? Long.MIN_VALUE : last.firstSequence();
    if (!sealed.isEmpty()) {
      held = sealed.get(0).firstSequence();
    }
    for (Seal seal : files.seals().values()) {
      if (files.blocks().containsKey(seal.block())) {
        continue;
      }
      if (seal.endSequence() > held) {
        damagedBlocks++;
        LOG.warn(
            "Queue {}: damaged: {} is missing, and with it sequences {} to {}",
            settings.queue(),
            BlockName.data(settings.directory(), seal.block()),
            seal.firstSequence(),
            seal.endSequence() - 1);
        lost(seal);
      } else {
        mending.delete(BlockName.seal(settings.directory(), seal.block()));
      }
    }
  }
}
