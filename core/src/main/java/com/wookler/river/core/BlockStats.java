package com.wookler.river.core;

import com.wookler.river.common.Micros;
import com.wookler.river.core.backup.Backup;
import com.wookler.river.core.backup.StoredBlock;
import com.wookler.river.core.log.BlockLog;
import com.wookler.river.core.log.files.Seal;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a block of a queue holds.
 *
 * @param number counted from 1
 * @param state where it is
 * @param firstSequence of its first message, or of the one that would be its first
 * @param messages how many it holds, those that are lost included
 * @param lost how many of them a power loss took
 * @param bytes that it uses in the log, or used there
 * @param backupBytes of its compressed backup; 0 if there is none
 * @param firstPublished when its first message was published; null without one
 * @param lastPublished when its last message was published; null without one
 */
public record BlockStats(
    int number,
    State state,
    long firstSequence,
    long messages,
    int lost,
    long bytes,
    long backupBytes,
    @Nullable Instant firstPublished,
    @Nullable Instant lastPublished) {
  /** Where a block is. */
  public enum State {
    /** In the log; it is appended to. */
    ACTIVE,
    /** In the log, until every subscriber has completed it. */
    CLOSED,
    /** In the backup alone. */
    ARCHIVED
  }

  private static BlockStats of(Seal seal, State state, long backupBytes) {
    boolean empty = seal.messages() == 0;
    return new BlockStats(
        seal.block(),
        state,
        seal.firstSequence(),
        seal.messages(),
        seal.lost(),
        seal.bytes(),
        backupBytes,
        empty ? null : Micros.toInstant(seal.firstMicros()),
        empty ? null : Micros.toInstant(seal.lastMicros()));
  }

  private BlockStats withBackup(BlockStats stored) {
    return new BlockStats(
        number,
        state,
        firstSequence,
        messages,
        lost,
        bytes,
        stored.backupBytes,
        firstPublished,
        lastPublished);
  }

  /** Returns the blocks below a number, the newest first. */
  static List<BlockStats> newest(BlockLog log, @Nullable Backup backup, int below, int max) {
    TreeMap<Integer, BlockStats> found = new TreeMap<>(Comparator.reverseOrder());
    State state = State.ACTIVE;
    List<Seal> live = log.contents(); // before the backup, to which a block may move meanwhile
    for (int i = live.size() - 1; i >= 0; i--) {
      if (live.get(i).block() < below) {
        found.put(live.get(i).block(), of(live.get(i), state, 0));
      }
      state = State.CLOSED;
    }
    List<StoredBlock> archived = backup == null ? List.of() : backup.newest(below, max);
    for (StoredBlock stored : archived) {
      found.merge(
          stored.block().block(),
          of(stored.block(), State.ARCHIVED, stored.length()),
          BlockStats::withBackup);
    }
    return found.values().stream().limit(max).toList();
  }
}
