package com.wookler.river.core.log.recovery;

import com.wookler.river.core.log.chronicle.ChronicleHeader;
import com.wookler.river.core.log.chronicle.ChronicleHeaderCheck;
import com.wookler.river.core.log.files.BlockName;
import com.wookler.river.core.log.files.BlockStart;
import com.wookler.river.core.log.files.BlockWalk;
import com.wookler.river.core.log.files.Gaps;
import com.wookler.river.core.log.files.LogDirectory;
import com.wookler.river.core.log.files.Seal;
import com.wookler.river.core.log.recovery.BlockContent.Hole;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Recovers the blocks of a log, oldest first: each from its seal, or by reading its file; or, where
 * that is no run of valid documents, by {@link BlockRepair}. Changes nothing; what is to be done is
 * left to {@link RepairPlan}.
 */
final class BlockRecovery {
  private static final Logger LOG = LoggerFactory.getLogger(BlockRecovery.class);

  private final LogDirectory log;
  private final LogFileScan files;
  private final RepairPlan repairs;
  private final long forced;
  private final Removed removed;
  private final Gaps known;
  private final List<RecoveredBlock> sealed = new ArrayList<>();
  private final Map<Integer, List<Hole>> holes = new HashMap<>();
  private long end; // after the last message that is there, or that a block says was there
  private long oldest = Long.MAX_VALUE; // the first sequence of which something is known
  private long lastMicros;
  private long torn; // bytes of documents that were being written, or were never forced
  private int damagedBlocks;
  private boolean started; // whether the active block has its first document

  /**
   * What was taken out of a log: all below {@code atLeast}, and exactly all below {@code below}
   * where that is known; {@code archivedEnd} as in {@link RecoveryInput}.
   */
  record Removed(OptionalLong below, long atLeast, LongUnaryOperator archivedEnd) {
    boolean isArchived(Seal seal) {
      return archivedEnd.applyAsLong(seal.firstSequence()) >= seal.endSequence();
    }
  }

  /** For a log in which what is missing below {@code forced} is damage. */
  BlockRecovery(
      LogDirectory log,
      LogFileScan files,
      RepairPlan repairs,
      long forced,
      Removed removed,
      Gaps known) {
    this.log = log;
    this.files = files;
    this.repairs = repairs;
    this.forced = forced;
    this.removed = removed;
    this.known = known;
  }

  /** Recovers one block; returns it if it is the one to continue appending to. */
  @Nullable RecoveredBlock take(int number, Path file, boolean last, long markedEnd)
      throws IOException {
    files.start(number).ifPresent(start -> oldest = Math.min(oldest, start.firstSequence()));
    Seal seal = files.seals().get(number);
    String unlike = seal == null ? "" : files.unlikeSeal(seal);
    if (seal != null && unlike.isEmpty()) {
      RecoveredBlock block = RecoveredBlock.of(seal, file);
      note(block, holes(block));
      sealed.add(block);
      return null;
    }
    if (seal != null) {
      repairs.delete(BlockName.seal(log.path(), seal.block()));
    }
    long first = seal == null ? end : seal.firstSequence();
    BlockContent.Walked walked = BlockContent.walk(number, file, first, log);
    lastMicros = Math.max(lastMicros, walked.start().map(BlockStart::lastMicros).orElse(0L));
    boolean continues = last && seal == null;
    if (!walked.isValid() || !walked.fault().isEmpty()) {
      return repair(walked, seal, continues, continues && markedEnd <= end);
    }
    if (!unlike.isEmpty()) {
      damagedBlocks++;
      LOG.warn("Queue {}: damaged: {}: {}; reading what is there", log.queue(), file, unlike);
    }
    note(walked.block(), walked.holes());
    if (continues && walked.ending() == BlockWalk.Ending.OPEN) {
      started = true;
      return walked.block();
    }
    close(walked.block());
    end = Math.max(end, seal == null ? 0 : seal.endSequence());
    return null;
  }

  /** Returns what is lost of a sealed block, as the file of the gaps says, or the block itself. */
  private List<Hole> holes(RecoveredBlock block) throws IOException {
    if (block.seal().lost() == 0) {
      return List.of();
    }
    List<Hole> noted = new ArrayList<>();
    long sum = 0;
    for (Gaps.Gap gap : known.all()) {
      Gaps.Gap part = gap.within(block.firstSequence(), block.endSequence());
      if (part.messages() > 0) {
        noted.add(new Hole(part.first(), part.end(), 0));
        sum += part.messages();
      }
    }
    return sum == block.seal().lost()
        ? noted
        : BlockContent.walk(block.number(), block.file(), block.firstSequence(), log).holes();
  }

  /** Repairs a block that is no run of whole documents, or would lead the store astray. */
  private @Nullable RecoveredBlock repair(
      BlockContent.Walked walked, @Nullable Seal seal, boolean continues, boolean mayBeNew)
      throws IOException {
    RecoveredBlock broken = walked.block();
    BlockRepair.Known around =
        new BlockRepair.Known(
            files.start(broken.number()), forced, below(broken, seal), lastMicros);
    BlockRepair.Result left = BlockRepair.of(walked, around, log);
    boolean isEmpty = left.block().documents() == 0;
    // whole: one that was being written when the process was killed goes with the cut
    boolean begun = walked.start().isPresent() && walked.fault().isEmpty();
    if (isEmpty && continues && begun && left.end() <= broken.firstSequence()) {
      // deleting it could delete the only block, and with it the sequence to continue with
      repairs.cut(broken.file(), broken.end());
      torn += left.usedEnd() - broken.end();
      note(broken, List.of());
      started = true;
      return broken;
    }
    if (isEmpty) {
      empty(broken, seal, left, mayBeNew);
      return null;
    }
    report(broken, walked.fault(), left);
    left.patches().forEach(patch -> repairs.write(broken.file(), patch));
    torn += Math.max(0, left.usedEnd() - left.block().end());
    note(left.block(), left.holes());
    end = Math.max(end, Math.max(left.end(), seal == null ? 0 : seal.endSequence()));
    close(left.block());
    return null;
  }

  /** Returns where the sequences of a block end, by its seal, or by where the next block starts. */
  private long below(RecoveredBlock block, @Nullable Seal seal) {
    long next = files.startAfter(block.number()).orElse(Long.MAX_VALUE);
    return seal == null ? next : Math.min(next, seal.endSequence());
  }

  private void report(RecoveredBlock broken, String fault, BlockRepair.Result left) {
    if (left.damage().isEmpty() && ChronicleHeaderCheck.isOlder(fault)) {
      return; // what a power loss leaves; the gaps have what is lost
    }
    damagedBlocks++;
    String what = left.damage().isEmpty() ? fault : left.damage();
    if (left.patches().isEmpty()) {
      LOG.warn("Queue {}: damaged: {}: {}", log.queue(), broken.file(), what);
      return;
    }
    LOG.warn(
        "Queue {}: damaged: {}: {}; kept as {}, and repaired: {} of its messages are whole",
        log.queue(),
        broken.file(),
        what,
        repairs.keepCopy(log.path(), broken.file(), left.usedEnd()),
        left.block().messages() - left.block().seal().lost());
  }

  /** Deletes or quarantines a block of which nothing is valid. */
  private void empty(
      RecoveredBlock broken, @Nullable Seal seal, BlockRepair.Result left, boolean mayBeNew) {
    Optional<BlockStart> start = files.start(broken.number());
    long first = start.map(BlockStart::firstSequence).orElse(Math.max(end, removed.atLeast()));
    boolean hadStart = start.isPresent() || left.usedEnd() > ChronicleHeader.BYTES;
    boolean isNothing = left.usedEnd() == 0 && seal == null;
    boolean isBeingMade = mayBeNew && !hadStart;
    boolean isDamage = seal != null || forced > first || (hadStart && start.isEmpty());
    end = Math.max(end, Math.max(first, left.end()));
    if (isNothing || isBeingMade || !isDamage) {
      torn += left.usedEnd();
      repairs.delete(broken.file());
      return;
    }
    damagedBlocks++;
    LOG.warn(
        "Queue {}: damaged: nothing of block {} can be read; quarantined as {}",
        log.queue(),
        broken.number(),
        repairs.quarantine(broken.file()));
    end = Math.max(end, seal == null ? 0 : seal.endSequence());
  }

  /** Notes that the block with this seal is missing. */
  private void lost(Seal seal) {
    oldest = Math.min(oldest, seal.firstSequence());
    end = Math.max(end, seal.endSequence());
    lastMicros = Math.max(lastMicros, seal.lastMicros());
    repairs.delete(BlockName.seal(log.path(), seal.block()));
  }

  /** Closes a block, and lists it; one without messages is deleted. */
  void close(RecoveredBlock block) {
    if (block.messages() > 0) {
      repairs.writeEndMark(block.file(), block.end());
      sealed.add(block);
    } else {
      repairs.delete(block.file());
    }
  }

  private void note(RecoveredBlock block, List<Hole> lost) {
    if (block.firstSequence() < end && !sealed.isEmpty()) {
      LOG.warn(
          "Queue {}: damaged: block {} starts at sequence {} where {} should follow",
          log.queue(),
          block.number(),
          block.firstSequence(),
          end);
    }
    if (block.messages() > 0) {
      oldest = Math.min(oldest, block.firstSequence());
    }
    holes.put(block.number(), lost);
    end = Math.max(end, block.endSequence());
    lastMicros = Math.max(lastMicros, block.seal().lastMicros());
  }

  /** Notes seals without a block: usual for what was taken out, where that ended half way. */
  void noteMissingBlocks(@Nullable RecoveredBlock last) {
    long held = last == null ? Long.MIN_VALUE : last.firstSequence();
    if (!sealed.isEmpty()) {
      held = sealed.get(0).firstSequence();
    }
    long removedBelow = removed.below().orElse(held);
    for (Seal seal : files.seals().values()) {
      if (files.blocks().containsKey(seal.block())) {
        continue;
      }
      if (seal.endSequence() > removedBelow && !removed.isArchived(seal)) {
        damagedBlocks++;
        LOG.warn(
            "Queue {}: damaged: {} is missing, and with it sequences {} to {}",
            log.queue(),
            BlockName.data(log.path(), seal.block()),
            seal.firstSequence(),
            seal.endSequence() - 1);
        lost(seal);
      } else {
        repairs.delete(BlockName.seal(log.path(), seal.block()));
      }
    }
  }

  /**
   * Leaves out the oldest blocks where they were taken out of the log, and so was one after them
   * that is deleted already: a power loss brings deletions to the device in any order.
   */
  void leaveTakenOut(@Nullable RecoveredBlock last, long next) {
    int leaving = 0;
    for (int i = 0; i < sealed.size() && isTakenOut(sealed.get(i)); i++) {
      long end = sealed.get(i).endSequence();
      if (known.endOf(end) < firstFrom(i + 1, last, next)) {
        leaving = i + 1;
      }
    }
    List<RecoveredBlock> left = sealed.subList(0, leaving);
    for (RecoveredBlock block : left) {
      LOG.info(
          "Queue {}: block {} is back, which was taken out of the log, and goes again",
          log.queue(),
          block.number());
      repairs.delete(block.file());
      repairs.delete(BlockName.seal(log.path(), block.number()));
    }
    left.clear();
    if (leaving > 0) {
      oldest = Math.min(removed.atLeast(), firstFrom(0, last, next));
    }
  }

  private boolean isTakenOut(RecoveredBlock block) {
    return block.endSequence() <= removed.atLeast();
  }

  private long firstFrom(int block, @Nullable RecoveredBlock last, long next) {
    if (block < sealed.size()) {
      return sealed.get(block).firstSequence();
    }
    return last == null ? next : last.firstSequence();
  }

  /** Notes that all is lost but for the marks. */
  void noteNothing() {
    damagedBlocks++;
  }

  List<RecoveredBlock> sealed() {
    return sealed;
  }

  /** Returns what of a block's sequences is lost, though the block is there. */
  List<Hole> holes(int block) {
    return holes.getOrDefault(block, List.of());
  }

  long end() {
    return end;
  }

  long oldest() {
    return oldest;
  }

  long lastMicros() {
    return lastMicros;
  }

  long torn() {
    return torn;
  }

  int damagedBlocks() {
    return damagedBlocks;
  }

  boolean isStarted() {
    return started;
  }
}
