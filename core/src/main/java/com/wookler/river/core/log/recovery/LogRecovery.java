package com.wookler.river.core.log.recovery;

import com.wookler.river.common.TimeSource;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.common.file.Device;
import com.wookler.river.common.file.DurableFiles;
import com.wookler.river.common.file.ReadFailedException;
import com.wookler.river.common.utils.Amount;
import com.wookler.river.core.log.files.BlockName;
import com.wookler.river.core.log.files.Gaps;
import com.wookler.river.core.log.files.LogDirectory;
import com.wookler.river.core.log.files.LogMarks;
import com.wookler.river.core.log.files.Seal;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes a log directory fit to be opened, whatever ended the last run, and finds out what it holds.
 *
 * <ol>
 *   <li>Refuses a log of another queue, before anything is touched. Removes what a crash leaves
 *       half made: temporary files and blocks made ahead; and the store's own metadata file: all in
 *       it follows from the block files, and a stale write lock or a truncated file would stop the
 *       open ({@link LogFileScan}).
 *   <li>Takes the content of each sealed block from its seal, and walks those without one, or that
 *       are not what their seal says ({@link BlockRecovery}). Usually only the last blocks of the
 *       last run have none, so the time does not grow with the backlog. So far nothing of a block
 *       was changed.
 *   <li>The next sequence is above all that the log holds, all that {@link LogMarks} say it held,
 *       and all that a subscriber has completed. What no block holds is a gap ({@link GapFinder}).
 *       Marks and gaps are brought to the device.
 *   <li>Then blocks are repaired ({@link RepairPlan}). One that breaks off is ended with an end
 *       mark. Usually that is a document that was being written when the process died, for which no
 *       publish had returned. What a power loss has torn is taken out ({@link BlockRepair}); of a
 *       damaged block that is repaired, a copy is kept beside the log. The last block is deleted if
 *       its first header was never completed and nothing is in it: the store would wait 12 s for
 *       that.
 * </ol>
 *
 * <p>No byte that may belong to a message is deleted, and a crash within leads to the same result
 * the next time. Nothing else has the directory open: the queue's LOCK is held.
 */
public final class LogRecovery {
  private static final Logger LOG = LoggerFactory.getLogger(LogRecovery.class);

  private final LogDirectory log;
  private final Device device;
  private final TimeSource time;
  private final LogFileScan files;
  private final RepairPlan repairs;

  private LogRecovery(LogDirectory log, Device device, TimeSource time) throws IOException {
    this.time = time;
    this.log = log;
    this.device = device;
    this.files = LogFileScan.list(log, device);
    this.repairs = new RepairPlan(device);
  }

  /**
   * What the directory holds.
   *
   * @param sealed closed blocks, oldest first; none is empty
   * @param active the block to append to
   * @param activeStarted whether its file has its first document, which carries the sequence on
   * @param lastMicros publish time that the next one must not go below
   * @param marks open; the caller closes them
   * @param repaired what was done, for the line that says how the log was opened
   */
  public record Found(
      List<RecoveredBlock> sealed,
      RecoveredBlock active,
      boolean activeStarted,
      long nextSequence,
      long lastMicros,
      LogMarks marks,
      Gaps gaps,
      String repaired) {
    /** Returns the bytes in use of the largest block. */
    public long largestBlock() {
      return Stream.concat(sealed.stream(), Stream.of(active))
          .mapToLong(RecoveredBlock::end)
          .max()
          .orElse(0);
    }
  }

  /**
   * Looks through the directory and repairs it; makes it if there is none. If it throws, no block
   * was changed, and of another queue's log nothing was touched.
   */
  public static Found open(LogDirectory log, RecoveryInput input, Device device, TimeSource time) {
    try {
      DurableFiles.createDirectories(log.path());
      return run(log, input, device, time);
    } catch (IOException e) {
      throw new RiverException(
          "queue "
              + log.queue()
              + ": cannot open the log in "
              + log.path()
              + ": "
              + (e instanceof ReadFailedException
                  ? e.getMessage() + ". " + ReadFailedException.REMEDY
                  : e),
          e);
    }
  }

  private static Found run(LogDirectory log, RecoveryInput input, Device device, TimeSource time)
      throws IOException {
    LogRecovery recovery = new LogRecovery(log, device, time);
    LogMarks.read(log); // refuses a newer format before anything is touched
    recovery.files.tidy(); // first: a block may have the name of the marks
    LogMarks marks = LogMarks.open(log, recovery.files.newest() == 0);
    try {
      return recovery.run(marks, input);
    } catch (Throwable e) {
      marks.close();
      throw e;
    }
  }

  private Found run(LogMarks marks, RecoveryInput input) throws IOException {
    int newest = Math.max(marks.block(), files.newest());
    Gaps known = Gaps.read(log);
    long forced = forced(marks);
    BlockRecovery blocks =
        new BlockRecovery(
            log,
            files,
            repairs,
            marks.isTrusted() ? forced : Long.MAX_VALUE,
            new BlockRecovery.Removed(marks.removed(), marks.removedAtLeast(), input.archivedEnd()),
            known);
    RecoveredBlock last = null;
    for (Map.Entry<Integer, Path> entry : files.blocks().entrySet()) {
      boolean isLast = entry.getKey().equals(files.blocks().lastKey());
      last = take(blocks, entry, isLast, marks.end());
    }
    blocks.noteMissingBlocks(last);
    long next = Math.max(blocks.end(), Math.max(marks.end(), input.completed()));
    if (last != null && last.endSequence() < next) {
      blocks.close(last); // its sequences cannot continue without a gap
      last = null;
    }
    blocks.leaveTakenOut(last, next);
    long from = begin(blocks, marks, input, next, newest);
    GapFinder gaps = findGaps(new GapFinder(log, time, known, forced, from), blocks, last);
    gaps.end(next, newest);
    settle(marks, gaps, next, newest);
    if (marks.removed().orElse(-1) < from) {
      marks.removed(from, device);
    }
    repairs.run();
    RecoveredBlock active =
        last == null
            ? RecoveredBlock.none(
                log.identity(), newest + 1, next, BlockName.data(log.path(), newest + 1))
            : last;
    boolean begun = last != null && blocks.isStarted();
    return new Found(
        blocks.sealed(),
        active,
        begun,
        next,
        blocks.lastMicros(),
        marks,
        gaps.gaps(),
        repaired(blocks, gaps));
  }

  private static @Nullable RecoveredBlock take(
      BlockRecovery blocks, Map.Entry<Integer, Path> block, boolean isLast, long markedEnd)
      throws IOException {
    try {
      return blocks.take(block.getKey(), block.getValue(), isLast, markedEnd);
    } catch (IOException e) {
      throw ReadFailedException.of(block.getValue(), e);
    }
  }

  /** Returns the sequence up to which the log was forced. */
  private long forced(LogMarks marks) {
    long forced = marks.forced();
    for (Seal seal : files.seals().values()) {
      forced = Math.max(forced, seal.endSequence()); // none is written before the force
    }
    return forced;
  }

  /** Returns the first sequence that the log may hold, as far as that is known. */
  private long begin(
      BlockRecovery blocks, LogMarks marks, RecoveryInput input, long next, int newest) {
    long held = Math.min(blocks.oldest(), next);
    if (marks.removed().isPresent()) {
      long removed = marks.removed().getAsLong();
      return removed < held ? archived(input, removed, held) : held;
    }
    if (blocks.oldest() != Long.MAX_VALUE || next == 0) {
      return held;
    }
    blocks.noteNothing();
    LOG.warn(
        "Queue {}: damaged: no block in {} says which messages it held, but the log went on to"
            + " sequence {} and block {}; what is in no backup is lost",
        log.queue(),
        log.path(),
        next - 1,
        newest);
    return next;
  }

  /** Returns the end of what is not lost from here on, as backups hold it. */
  private long archived(RecoveryInput input, long from, long held) {
    long end = Math.min(held, input.archivedEnd().applyAsLong(from));
    if (end > from) {
      LOG.warn(
          "Queue {}: damaged: sequences {} to {} are missing in {}; the backup holds them",
          log.queue(),
          from,
          end - 1,
          log.path());
    }
    return end;
  }

  /** Brings what was found to the device, before anything is done about it. */
  private void settle(LogMarks marks, GapFinder gaps, long next, int newest) throws IOException {
    if (next > marks.end() || newest > marks.block() || !repairs.isEmpty()) {
      marks.end(next);
      marks.block(newest);
      marks.force();
      device.repaired(log.path().resolve(LogMarks.NAME));
    }
    if (gaps.isNews()) {
      write(gaps.gaps());
      device.repaired(log.path().resolve(Gaps.NAME));
      gaps.report();
    }
  }

  private void write(Gaps gaps) throws IOException {
    try {
      gaps.write(log.path(), log.identity());
    } catch (IOException e) {
      if (!device.isFull(e, log.path())) {
        throw e;
      }
      LOG.warn(
          "Queue {}: no space for {} in {}; the next opening finds and reports them again",
          log.queue(),
          Gaps.NAME,
          log.path(),
          e);
    }
  }

  private static GapFinder findGaps(
      GapFinder finder, BlockRecovery blocks, @Nullable RecoveredBlock last) {
    blocks.sealed().forEach(block -> finder.block(block, blocks.holes(block.number())));
    if (last != null) {
      finder.block(last, blocks.holes(last.number()));
    }
    return finder;
  }

  private static String repaired(BlockRecovery blocks, GapFinder gaps) {
    List<String> done = new ArrayList<>();
    if (blocks.torn() > 0) {
      done.add(blocks.torn() + " torn bytes cut");
    }
    if (blocks.damagedBlocks() > 0) {
      done.add("blocks damaged: " + blocks.damagedBlocks());
    }
    long lost = gaps.unknown().stream().mapToLong(Gaps.Gap::messages).sum();
    if (lost > 0) {
      done.add(Amount.of(lost, "message") + " lost in " + Amount.of(gaps.unknown().size(), "gap"));
    }
    return done.isEmpty() ? "nothing to repair" : String.join(", ", done);
  }
}
