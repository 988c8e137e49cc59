package com.wookler.river.core.ack.journal;

import com.wookler.river.core.ack.EntryState;
import com.wookler.river.core.ack.Ring;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The state of a ledger, as a snapshot keeps it: the low watermark and the mark of the moment when
 * it was begun, and the entries between the low watermark and the end of that moment, copied in
 * steps.
 *
 * <p>Between two steps the ledger may go on, with facts told to the logs from that moment on: an
 * entry may be copied as it is later. Whoever replays those logs behind it comes to the same state,
 * because facts tell what is, and not what has changed. Only a seek must end the copying.
 *
 * <p>Guarded by the subscriber's lock until it is complete; not changed from then on, so that the
 * flusher may write it while the ledger goes on.
 */
final class AckState {
  /** Entries in a step: some 100 nanoseconds of work. */
  static final int STEP = Long.SIZE;

  private static final int NONE = -1;

  private final Ring ring;
  private final long lowWatermark;
  private final long deliveredEnd;
  private final int size;

  /** A bit for each entry. */
  private final long[] completed;

  /** For each step with attempts of their own: those, {@link #NONE} for the other entries. */
  private final int[] @Nullable [] attempts;

  /**
   * For each step with entries that are delayed: until when, and for how many seconds that was to
   * be; both 0 for the others. Empty if none was when this began.
   */
  private final long[] @Nullable [] delays;

  private int steps;

  /** Begins; each {@link #step} copies. */
  AckState(Ring ring, long deliveredEnd) {
    this.ring = ring;
    this.lowWatermark = ring.lowWatermark();
    this.deliveredEnd = deliveredEnd;
    this.size = (int) (ring.end() - ring.lowWatermark());
    this.completed = new long[(size + STEP - 1) / STEP];
    this.attempts = new int[completed.length][];
    this.delays = new long[ring.hasDelays() ? completed.length : 0][];
  }

  /** Copies everything at once. */
  static AckState of(Ring ring, long deliveredEnd) {
    AckState state = new AckState(ring, deliveredEnd);
    while (!state.isComplete()) {
      state.step();
    }
    return state;
  }

  /** Returns a subscriber that begins here. */
  static AckState startingAt(long sequence) {
    return new AckState(new Ring(sequence), sequence);
  }

  boolean isComplete() {
    return steps == completed.length;
  }

  /** Copies the next entries of one that is not complete. */
  void step() {
    long bits = 0;
    int first = steps * STEP;
    for (int entry = first; entry < Math.min(size, first + STEP); entry++) {
      long sequence = lowWatermark + entry;
      if (sequence < ring.lowWatermark() || ring.is(sequence, EntryState.COMPLETED)) {
        bits |= 1L << entry;
      } else {
        int usual = sequence < deliveredEnd ? 1 : 0;
        if (ring.attempt(sequence) != usual) {
          keep(entry, ring.attempt(sequence));
        }
        if (delays.length > 0 && ring.isDelayed(sequence)) {
          keepDelay(entry, ring.until(sequence), ring.delaySeconds(sequence));
        }
      }
    }
    completed[steps] = bits;
    steps++;
  }

  private void keep(int entry, int count) {
    int[] own = attempts[steps];
    if (own == null) {
      own = new int[STEP];
      Arrays.fill(own, NONE);
      attempts[steps] = own;
    }
    own[entry % STEP] = count;
  }

  private void keepDelay(int entry, long until, int seconds) {
    long[] own = delays[steps];
    if (own == null) {
      own = new long[2 * STEP];
      delays[steps] = own;
    }
    own[entry % STEP] = until;
    own[STEP + entry % STEP] = seconds;
  }

  long lowWatermark() {
    return lowWatermark;
  }

  long deliveredEnd() {
    return deliveredEnd;
  }

  /** Returns how many entries there are from the low watermark on. */
  int size() {
    return size;
  }

  boolean isCompleted(int entry) {
    return (completed[entry / STEP] & (1L << entry)) != 0;
  }

  /** Returns whether an unfinished entry's attempts don't follow from the mark alone. */
  boolean hasOwnAttempts(int entry) {
    return attempts(entry) != NONE;
  }

  /** Returns those of an entry that has its own. */
  int attempts(int entry) {
    int[] own = attempts[entry / STEP];
    return own == null ? NONE : own[entry % STEP];
  }

  /** For how many seconds an entry was to be delayed; 0 if it is not. */
  long delaySeconds(int entry) {
    long[] own = delays.length == 0 ? null : delays[entry / STEP];
    return own == null ? 0 : own[STEP + entry % STEP];
  }

  /** Until when one that is delayed waits. */
  long until(int entry) {
    return Objects.requireNonNull(delays[entry / STEP])[entry % STEP];
  }
}
