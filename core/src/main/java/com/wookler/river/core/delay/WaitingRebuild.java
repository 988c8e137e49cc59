package com.wookler.river.core.delay;

import com.wookler.river.core.message.StoredMessage;
import com.wookler.river.core.message.Terms;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;

/**
 * Finds messages that waited in files which are missing or damaged again, in the log and its
 * backups: those that were collected, of which there is no re-enqueued copy and which no other file
 * has. Used once, by one thread; reads all of the log and the backups. Its memory grows with what
 * is lost, and by eight bytes for each message in the files.
 *
 * <p>Which file had a message cannot be told from its publish time: if the wall clock was set
 * meanwhile, this gives another due time than when the message was collected.
 */
final class WaitingRebuild {
  private final TimerState state;
  private final TimerStore.Rebuilt times;
  private final long[] kept; // what files still have, sorted
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

  private WaitingRebuild(
      TimerState state, List<Lost> lost, List<Bucket> files, TimerStore.Rebuilt times)
      throws IOException {
    this.state = state;
    this.lost = lost;
    this.times = times;
    this.kept = sequences(files);
  }

  private static long[] sequences(List<Bucket> files) throws IOException {
    LongStream.Builder all = LongStream.builder();
    for (Bucket bucket : files) {
      BucketScan.run(
          bucket.file, bucket.bytes, (time, sequence, offset, length) -> all.add(sequence));
    }
    return all.build().sorted().toArray();
  }

  /**
   * Looks for what is lost.
   *
   * @param state what the files held when it was written
   * @param files all that are there
   * @param timers know due times, and what waits in no file
   */
  static Found run(
      DelayContext context,
      TimerState state,
      List<Lost> lost,
      List<Bucket> files,
      TimerStore.Rebuilt timers)
      throws IOException {
    Set<Long> elsewhere = timers.waiting();
    WaitingRebuild rebuild = new WaitingRebuild(state, lost, files, timers);
    context.queueParts().readAll(rebuild::message);
    rebuild.waiting.keySet().removeAll(elsewhere);
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
    } else if (Terms.isDelayed(terms)
        && message.sequence() < state.collected()
        && !isKept(message.sequence())) {
      waiting.put(message.sequence(), times.dueAt(terms, message.publishedMicros()));
    }
  }

  private boolean isKept(long sequence) {
    return Arrays.binarySearch(kept, sequence) >= 0;
  }

  private void copy(long at, long sequence) {
    Long time = waiting.remove(sequence);
    if (at < state.copied() || sequence >= state.collected() || isKept(sequence)) {
      return;
    }
    if (time == null) {
      copied.add(sequence); // its original cannot be read
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
