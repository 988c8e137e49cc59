package com.wookler.river.ack;

import java.util.Arrays;

/**
 * Holds the state of each sequence in [low watermark, end), 16 bytes an entry, in a ring that grows
 * by powers of two. {@link EntryState} has the transitions. Guarded by the subscriber's lock.
 *
 * <pre>
 * long address    where the log has the message; meaningless while UNSEEN and after recovery
 * int  due         low 32 bits of the millisecond when it falls due; distinguishes live deadlines from stale ones
 * int  meta        state (3 bits) | token (12) | attempt (17)
 * </pre>
 *
 * <p>Once an entry was delayed, 12 more bytes are kept beside each entry: until when it is delayed,
 * and how long the delay was to be. They are valid for entries that are DELAYED, and for those that
 * are UNSEEN and postponed: delayed in an earlier run, and not read in this one.
 *
 * <p>The rejected alternative is a map from sequence to an object: 5 to 10 times the memory,
 * garbage for each message, and no cheap walk of the low watermark.
 */
public final class Ring {
  static final int MIN_CAPACITY = 1024;

  private static final int STATE_SHIFT = DeliveryTag.TOKEN_BITS + DeliveryTag.ATTEMPT_BITS;
  private static final int TOKEN_ONE = 1 << DeliveryTag.ATTEMPT_BITS;
  private static final int STATE_CLEAR = (1 << STATE_SHIFT) - 1;
  // how often it must be empty in a row, and little used in between, to give half of it back
  private static final int QUIET = 1024;
  private static final int POSTPONED = 1; // the due of an entry that is UNSEEN and postponed

  // The codes that are compared for each message: constants to the compiler, unlike fields of an
  // enum.
  private static final int UNSEEN = EntryState.UNSEEN.code();
  private static final int IN_FLIGHT = EntryState.IN_FLIGHT.code();
  private static final int READY = EntryState.READY.code();
  private static final int COMPLETED = EntryState.COMPLETED.code();

  private static final long[] NO_TIMES = {};
  private static final int[] NO_DELAYS = {};

  private final int[] counts = new int[EntryState.COUNT];

  private long[] addresses = new long[MIN_CAPACITY];
  private int[] dues = new int[MIN_CAPACITY];
  private int[] metas = new int[MIN_CAPACITY];
  private long[] untils = NO_TIMES;
  private int[] delays = NO_DELAYS;
  private long lowWatermark;
  private long end;
  private long peak;
  private int quiet;

  public Ring(long lowWatermark) {
    restart(lowWatermark);
  }

  static int attemptOf(int meta) {
    return meta & DeliveryTag.MAX_ATTEMPT;
  }

  public long lowWatermark() {
    return lowWatermark;
  }

  public long end() {
    return end;
  }

  int capacity() {
    return metas.length;
  }

  boolean holds(long sequence) {
    return sequence >= lowWatermark && sequence < end;
  }

  boolean isCompleted(long sequence) {
    return code(sequence) == COMPLETED;
  }

  boolean isInFlight(long sequence) {
    return code(sequence) == IN_FLIGHT;
  }

  public int count(EntryState state) {
    return counts[state.code()];
  }

  int meta(long sequence) {
    return metas[index(sequence)];
  }

  public EntryState state(long sequence) {
    return EntryState.of(code(sequence));
  }

  /** Returns whether an entry is in a state, without a look at the table of states. */
  public boolean is(long sequence, EntryState state) {
    return code(sequence) == state.code();
  }

  private int code(long sequence) {
    return metas[index(sequence)] >>> STATE_SHIFT;
  }

  public int attempt(long sequence) {
    return attemptOf(meta(sequence));
  }

  public void attempt(long sequence, int attempt) {
    int i = index(sequence);
    metas[i] = (metas[i] & ~DeliveryTag.MAX_ATTEMPT) | Math.min(attempt, DeliveryTag.MAX_ATTEMPT);
  }

  /** Returns whether an entry was never delivered, in this run or another. */
  boolean isFresh(long sequence) {
    return (meta(sequence) & STATE_CLEAR) == 0;
  }

  /** Makes all delivery tags of an entry void. */
  void nextToken(long sequence) {
    int i = index(sequence);
    metas[i] = (metas[i] & ~STATE_CLEAR) | ((metas[i] + TOKEN_ONE) & STATE_CLEAR);
  }

  public int due(long sequence) {
    return dues[index(sequence)];
  }

  public void due(long sequence, long due) {
    dues[index(sequence)] = (int) due;
  }

  long address(long sequence) {
    return addresses[index(sequence)];
  }

  void address(long sequence, long address) {
    addresses[index(sequence)] = address;
  }

  /** Returns until when a delayed or postponed entry waits, in milliseconds since 1970. */
  public long until(long sequence) {
    return untils[index(sequence)];
  }

  /** Returns how long that was to be when it began, in seconds, rounded up. */
  public int delaySeconds(long sequence) {
    return delays[index(sequence)];
  }

  /** Sets both, of an entry that is to be delayed or postponed. */
  public void until(long sequence, long untilMillis, int delaySeconds) {
    if (untils.length == 0) {
      untils = new long[metas.length];
      delays = new int[metas.length];
    }
    untils[index(sequence)] = untilMillis;
    delays[index(sequence)] = delaySeconds;
  }

  /** Postpones an UNSEEN entry, or ends that. */
  public void postpone(long sequence, boolean postponed) {
    due(sequence, postponed ? POSTPONED : 0);
  }

  /** Returns whether an entry was delayed in an earlier run, and not looked at in this one. */
  boolean isPostponed(long sequence) {
    return code(sequence) == UNSEEN && due(sequence) == POSTPONED;
  }

  public boolean isDelayed(long sequence) {
    return is(sequence, EntryState.DELAYED) || isPostponed(sequence);
  }

  /** Returns whether any was, since a restart. */
  public boolean hasDelays() {
    return untils.length > 0;
  }

  /** Changes the state of an entry; nothing else does. */
  public void move(long sequence, EntryState to) {
    move(sequence, to.code());
  }

  void putInFlight(long sequence) {
    move(sequence, IN_FLIGHT);
  }

  void complete(long sequence) {
    move(sequence, COMPLETED);
  }

  private void move(long sequence, int to) {
    int i = index(sequence);
    int from = metas[i] >>> STATE_SHIFT;
    if (!EntryState.mayFollow(from, to)) {
      throw new IllegalStateException(
          "sequence "
              + sequence
              + " cannot go from state "
              + state(sequence)
              + " to "
              + EntryState.of(to));
    }
    metas[i] = (metas[i] & STATE_CLEAR) | (to << STATE_SHIFT);
    counts[from]--;
    counts[to]++;
  }

  /** Forgets everything; low watermark and end are this sequence then. */
  public void restart(long sequence) {
    lowWatermark = sequence;
    end = sequence;
    Arrays.fill(counts, 0);
    untils = NO_TIMES;
    delays = NO_DELAYS;
    resize(MIN_CAPACITY);
  }

  /** Adds unseen entries up to this end. */
  public void extendTo(long newEnd) {
    while (newEnd - lowWatermark > metas.length) {
      resize(metas.length * 2);
    }
    while (end < newEnd) {
      int i = index(end);
      metas[i] = 0;
      dues[i] = 0;
      addresses[i] = 0;
      counts[UNSEEN]++;
      end++;
    }
  }

  /** Moves the low watermark over what is completed. */
  void advance() {
    peak = Math.max(peak, end - lowWatermark);
    long next = lowWatermark;
    while (next < end && code(next) == COMPLETED) {
      next++;
    }
    counts[COMPLETED] -= (int) (next - lowWatermark);
    lowWatermark = next;
    if (lowWatermark == end) {
      rest();
    }
  }

  /** Moves the low watermark up to this sequence at least, whatever the entries below it are. */
  public void raise(long sequence) {
    while (lowWatermark < sequence && lowWatermark < end) {
      counts[code(lowWatermark)]--;
      lowWatermark++;
    }
    lowWatermark = Math.max(lowWatermark, sequence);
    end = Math.max(end, lowWatermark);
    advance();
  }

  /** Returns the first entry from this one on that is READY or UNSEEN; the end if there is none. */
  long available(long from) {
    long sequence = Math.max(from, lowWatermark);
    while (sequence < end && code(sequence) != READY && code(sequence) != UNSEEN) {
      sequence++;
    }
    return sequence;
  }

  private int index(long sequence) {
    return (int) sequence & (metas.length - 1);
  }

  private void rest() {
    if (metas.length == MIN_CAPACITY) {
      return;
    }
    if (peak > metas.length / 4) {
      quiet = 0;
      peak = 0;
    } else if (++quiet == QUIET) {
      resize(metas.length / 2);
    }
  }

  private void resize(int capacity) {
    quiet = 0;
    peak = 0;
    if (capacity == metas.length) {
      return;
    }
    long[] newAddresses = new long[capacity];
    int[] newDues = new int[capacity];
    int[] newMetas = new int[capacity];
    for (long s = lowWatermark; s < end; s++) {
      int from = index(s);
      int to = (int) s & (capacity - 1);
      newAddresses[to] = addresses[from];
      newDues[to] = dues[from];
      newMetas[to] = metas[from];
    }
    if (untils.length > 0) {
      resizeDelays(capacity);
    }
    addresses = newAddresses;
    dues = newDues;
    metas = newMetas;
  }

  private void resizeDelays(int capacity) {
    long[] newUntils = new long[capacity];
    int[] newDelays = new int[capacity];
    for (long s = lowWatermark; s < end; s++) {
      int to = (int) s & (capacity - 1);
      newUntils[to] = until(s);
      newDelays[to] = delaySeconds(s);
    }
    untils = newUntils;
    delays = newDelays;
  }
}
