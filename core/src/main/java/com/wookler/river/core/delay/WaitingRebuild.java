package com.wookler.river.core.delay;

import com.wookler.river.core.message.StoredMessage;
import com.wookler.river.core.message.Terms;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Finds messages that waited in files which are missing or damaged again, in the log and its
 * backups: those that were delayed into the part that is lost, of which there is no due copy and
 * which no other file has. Used once, by one thread; reads all of the log and the backups, and its
 * memory grows with what is lost.
 */
final class WaitingRebuild {
  private final DelayContext context;
  private final TimerState state;
  private final Key done;
  private final List<Lost> lost;
  private final Map<Long, Long> waiting = new HashMap<>(); // when they are due, by sequence
  private final Set<Long> copied = new HashSet<>(); // since the state was written
  private long copiedOfLost; // of them, those that were in what is lost

  /**
   * What a file has lost: some of what was due from one key up to before another.
   *
   * @param records that waited in it and are not there any more
   */
  record Lost(Path file, Key from, Key to, long records, long fromByte, long toByte) {
    boolean held(long time, long sequence) {
      return !from.isBehind(time, sequence) && to.isBehind(time, sequence);
    }
  }

  /**
   * What was found.
   *
   * @param waiting when those messages are due that wait on, by their sequences
   * @param lost how many are in neither log nor backup
   */
  record Found(Map<Long, Long> waiting, long lost) {}

  private WaitingRebuild(DelayContext context, TimerState state, Key done, List<Lost> lost) {
    this.context = context;
    this.state = state;
    this.done = done;
    this.lost = lost;
  }

  /**
   * Looks for what is lost.
   *
   * @param state what the files held when it was written
   * @param done up to this key all is done
   * @param files all that are there
   * @param elsewhere messages that wait in no file
   */
  static Found run(
      DelayContext context,
      TimerState state,
      Key done,
      List<Lost> lost,
      List<Bucket> files,
      Set<Long> elsewhere)
      throws IOException {
    WaitingRebuild rebuild = new WaitingRebuild(context, state, done, lost);
    context.queueParts().readAll(rebuild::message);
    rebuild.waiting.keySet().removeAll(elsewhere);
    for (Bucket bucket : files) {
      BucketScan.run(
          bucket.file,
          bucket.bytes,
          (time, sequence, offset, length) -> {
            rebuild.waiting.remove(sequence);
            rebuild.copied.remove(sequence);
          });
    }
    long records = lost.stream().mapToLong(Lost::records).sum();
    long gone = records - rebuild.copiedOfLost - rebuild.copied.size() - rebuild.waiting.size();
    return new Found(rebuild.waiting, Math.max(0, gone));
  }

  private void message(StoredMessage message) {
    Terms terms = message.terms();
    if (terms == null) {
      return;
    }
    if (terms.origin() != null) {
      copy(message.sequence(), terms.origin().sequence());
    } else if (Terms.isDelayed(terms) && message.sequence() < state.collected()) {
      long now = context.time().epochMicros(); // as when it was collected
      long time = terms.dueAt(Math.min(message.publishedMicros(), now));
      boolean late = !done.isBefore(time, message.sequence()); // it got a later time, or is done
      if (late || lost.stream().anyMatch(part -> part.held(time, message.sequence()))) {
        waiting.put(message.sequence(), time);
      }
    }
  }

  private void copy(long at, long sequence) {
    Long time = waiting.remove(sequence);
    if (at < state.copied() || sequence >= state.collected()) {
      return;
    }
    if (time == null) {
      copied.add(sequence); // its original cannot be read, or was in another file
    } else if (lost.stream().anyMatch(part -> part.held(time, sequence))) {
      copiedOfLost++;
    }
  }

  /** Reports what is lost, file by file. */
  static void report(DelayContext context, List<Lost> lost, long messages) {
    long left = messages;
    for (Lost part : lost) {
      long here = Math.min(left, part.records());
      left -= here;
      if (here > 0) {
        context.lost(part.file(), DelayContext.UNKNOWN, here, part.fromByte(), part.toByte());
      }
    }
  }
}
