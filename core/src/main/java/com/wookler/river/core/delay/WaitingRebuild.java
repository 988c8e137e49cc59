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
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the messages of missing or damaged files in the log and its backups: those that were
 * collected, of which there is no re-enqueued copy and which no other file has. Reads all of the
 * log and the backups. Its memory grows with what is lost, and by eight bytes for each message in
 * the files. Used once, by one thread.
 *
 * <p>The publish time does not show which file had a message: if the wall clock was set meanwhile,
 * this gives another due time than when the message was collected.
 */
final class WaitingRebuild {
  private static final Logger LOG = LoggerFactory.getLogger(WaitingRebuild.class);

  private final TimerState state;
  private final TimerStore.Rebuilt times;
  private final long[] kept; // what files still have, sorted
  private final List<Lost> lost;
  private final Map<Long, Long> waiting = new HashMap<>(); // when they are due, by sequence
  private final Set<Long> copied = new HashSet<>(); // since the state was written
  private long copiedOfLost; // copies of messages that were in what is lost

  /** Records that waited in a file from one key up to, not including, another, and are lost. */
  record Lost(Path file, Key from, Key to, long records, long fromByte, long toByte) {
    boolean held(long time, long sequence) {
      return !from.isAfter(time, sequence) && to.isAfter(time, sequence);
    }
  }

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
      DelayedRecord.scan(
          bucket.file, bucket.bytes, (time, sequence, offset, length) -> all.add(sequence));
    }
    return all.build().sorted().toArray();
  }

  /**
   * Looks for what is lost, and reports what is in neither log nor backup; returns the due times,
   * by sequence, of what was found. {@code timers} know due times, and what waits in no file.
   */
  static Map<Long, Long> run(
      DelayContext context,
      TimerState state,
      List<Lost> lost,
      List<Bucket> files,
      TimerStore.Rebuilt timers)
      throws IOException {
    long[] elsewhere = timers.waiting();
    WaitingRebuild rebuild = new WaitingRebuild(state, lost, files, timers);
    context.queueParts().readAll(rebuild::message);
    for (long sequence : elsewhere) {
      rebuild.waiting.remove(sequence);
    }
    rebuild.report(context);
    return rebuild.waiting;
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

  private void report(DelayContext context) {
    long records = lost.stream().mapToLong(Lost::records).sum();
    long left = Math.max(0, records - copiedOfLost - copied.size() - waiting.size());
    LOG.warn(
        "Queue {}: damaged: delayed messages in {}: {} of them found again in the log and the"
            + " backups; {} lost",
        context.queue(),
        lost.stream().map(part -> part.file().toString()).collect(Collectors.joining(", ")),
        waiting.size(),
        left);
    for (Lost part : lost) { // the count of each file is a guess, their sum is not
      long here = Math.min(left, part.records());
      left -= here;
      if (here > 0) {
        context.lost(part.file(), DelayContext.UNKNOWN, here, part.fromByte(), part.toByte());
      }
    }
  }
}
