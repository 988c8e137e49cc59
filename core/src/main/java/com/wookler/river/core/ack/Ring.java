package com.wookler.river.core.ack;

import java.util.Arrays;

/**
 * What is known of each sequence in [floor, end), 16 bytes an entry in a ring that grows by powers
 * of two. Guarded by the subscriber's lock.
 *
 * <pre>
 * long location    where the log has the message; meaningless while UNSEEN and after recovery
 * int  due         low 32 bits of the millisecond when it falls due; tells live deadlines from stale ones
 * int  meta        state (3 bits) | token (12) | attempt (17)
 * </pre>
 *
 * <p>Once an entry was delayed there are 12 bytes more beside each: until when, and what was asked.
 * They mean something for those that are DELAYED, and for those that are UNSEEN and postponed:
 * delayed in an earlier run, and not looked at in this one.
 *
 * <pre>
 * UNSEEN → IN_FLIGHT → READY → IN_FLIGHT …
 *    |         |    ↘   ↑↓
 *    |         |   DELAYED
 *    ↘         ↘  from each ↘
 *                FINISHED, which leaves only when the floor passes it
 *
 * UNSEEN, IN_FLIGHT → SPENT → DYING → FINISHED     its deliveries are used up
 * UNSEEN → WAITING → READY, SPENT                  an earlier one of its key is unfinished
 * UNSEEN → DELAYED                                 postponed since an earlier run
 * IN_FLIGHT, READY, DELAYED → DYING                rejected
 * </pre>
 *
 * <p>The rejected alternative is a map from sequence to an object: 5 to 10 times the memory,
 * garbage for each message, and no cheap walk of the floor.
 */
final class Ring {
  /** Not handed over in this run. */
  static final int UNSEEN = 0;

  /** Handed over, its deadline not passed. */
  static final int IN_FLIGHT = 1;

  /** Timed out or given back: to be handed over again. */
  static final int READY = 2;

  /** Given back, to be handed over again later. */
  static final int DELAYED = 3;

  /** Done with. */
  static final int FINISHED = 4;

  /** Its deliveries are used up: waits for its dead letter. */
  static final int SPENT = 5;

  /** Its dead letter is being written. */
  static final int DYING = 6;

  /** Read, but an earlier message of its key is not finished. */
  static final int WAITING = 7;

  static final int MIN_CAPACITY = 1024;

  private static final int STATE_SHIFT = Ticket.TOKEN_BITS + Ticket.ATTEMPT_BITS;
  private static final int TOKEN_ONE = 1 << Ticket.ATTEMPT_BITS;
  private static final int STATE_CLEAR = (1 << STATE_SHIFT) - 1;

  /** For each state, a bit for each state it may go to. */
  private static final int[] NEXT = {
    (1 << IN_FLIGHT) | (1 << DELAYED) | (1 << FINISHED) | (1 << SPENT) | (1 << WAITING),
    (1 << READY) | (1 << DELAYED) | (1 << FINISHED) | (1 << SPENT) | (1 << DYING),
    (1 << IN_FLIGHT) | (1 << DELAYED) | (1 << FINISHED) | (1 << DYING),
    (1 << READY) | (1 << IN_FLIGHT) | (1 << FINISHED) | (1 << DYING),
    0,
    (1 << DYING) | (1 << FINISHED),
    (1 << SPENT) | (1 << IN_FLIGHT) | (1 << FINISHED),
    (1 << READY) | (1 << SPENT)
  };

  /** So many times empty in a row, and little used in between, before half of it is given back. */
  private static final int QUIET = 1024;

  /** The due of an entry that is UNSEEN and postponed. */
  private static final int POSTPONED = 1;

  private static final long[] NO_TIMES = {};
  private static final int[] NO_DELAYS = {};

  private final int[] counts = new int[NEXT.length];

  private long[] locations = new long[MIN_CAPACITY];
  private int[] dues = new int[MIN_CAPACITY];
  private int[] metas = new int[MIN_CAPACITY];
  private long[] untils = NO_TIMES;
  private int[] delays = NO_DELAYS;
  private long floor;
  private long end;
  private long peak;
  private int quiet;

  Ring(long floor) {
    restart(floor);
  }

  static int stateOf(int meta) {
    return meta >>> STATE_SHIFT;
  }

  static int attemptOf(int meta) {
    return meta & Ticket.MAX_ATTEMPT;
  }

  long floor() {
    return floor;
  }

  long end() {
    return end;
  }

  int capacity() {
    return metas.length;
  }

  boolean holds(long sequence) {
    return sequence >= floor && sequence < end;
  }

  /** Whether it is finished, above the floor. */
  boolean isFinished(long sequence) {
    return holds(sequence) && state(sequence) == FINISHED;
  }

  /** How many entries are in a state. */
  int count(int state) {
    return counts[state];
  }

  int meta(long sequence) {
    return metas[index(sequence)];
  }

  int state(long sequence) {
    return stateOf(meta(sequence));
  }

  int attempt(long sequence) {
    return attemptOf(meta(sequence));
  }

  void attempt(long sequence, int attempt) {
    int i = index(sequence);
    metas[i] = (metas[i] & ~Ticket.MAX_ATTEMPT) | Math.min(attempt, Ticket.MAX_ATTEMPT);
  }

  /** Whether an entry was never handed over, in this run or another. */
  boolean isFresh(long sequence) {
    return (meta(sequence) & STATE_CLEAR) == 0;
  }

  /** Makes all tickets of an entry void. */
  void nextToken(long sequence) {
    int i = index(sequence);
    metas[i] = (metas[i] & ~STATE_CLEAR) | ((metas[i] + TOKEN_ONE) & STATE_CLEAR);
  }

  int due(long sequence) {
    return dues[index(sequence)];
  }

  void due(long sequence, long due) {
    dues[index(sequence)] = (int) due;
  }

  long location(long sequence) {
    return locations[index(sequence)];
  }

  void location(long sequence, long location) {
    locations[index(sequence)] = location;
  }

  /** Until when an entry that is delayed or postponed waits, in milliseconds since 1970. */
  long until(long sequence) {
    return untils[index(sequence)];
  }

  /** How long that was to be when it began, in seconds, rounded up. */
  int delaySeconds(long sequence) {
    return delays[index(sequence)];
  }

  /** Sets both, of an entry that is to be delayed or postponed. */
  void until(long sequence, long untilMillis, int delaySeconds) {
    if (untils.length == 0) {
      untils = new long[metas.length];
      delays = new int[metas.length];
    }
    untils[index(sequence)] = untilMillis;
    delays[index(sequence)] = delaySeconds;
  }

  /** Has an UNSEEN entry wait, or not any more. */
  void postpone(long sequence, boolean postponed) {
    due(sequence, postponed ? POSTPONED : 0);
  }

  /** Whether an entry was delayed in an earlier run, and not looked at in this one. */
  boolean isPostponed(long sequence) {
    return state(sequence) == UNSEEN && due(sequence) == POSTPONED;
  }

  /** Whether an entry is delayed, or postponed. */
  boolean isDelayed(long sequence) {
    return state(sequence) == DELAYED || isPostponed(sequence);
  }

  /** Whether any was, since a restart. */
  boolean hasDelays() {
    return untils.length > 0;
  }

  /** The one place where an entry changes its state. */
  void move(long sequence, int to) {
    int i = index(sequence);
    int from = stateOf(metas[i]);
    if ((NEXT[from] & (1 << to)) == 0) {
      throw new IllegalStateException(
          "sequence " + sequence + " cannot go from state " + from + " to " + to);
    }
    metas[i] = (metas[i] & STATE_CLEAR) | (to << STATE_SHIFT);
    counts[from]--;
    counts[to]++;
  }

  /** Forgets everything; floor and end are this sequence then. */
  void restart(long sequence) {
    floor = sequence;
    end = sequence;
    Arrays.fill(counts, 0);
    untils = NO_TIMES;
    delays = NO_DELAYS;
    resize(MIN_CAPACITY);
  }

  /** Adds unseen entries up to this end. */
  void extendTo(long newEnd) {
    while (newEnd - floor > metas.length) {
      resize(metas.length * 2);
    }
    while (end < newEnd) {
      int i = index(end);
      metas[i] = 0;
      dues[i] = 0;
      locations[i] = 0;
      counts[UNSEEN]++;
      end++;
    }
  }

  /** Moves the floor over what is finished. */
  void advance() {
    peak = Math.max(peak, end - floor);
    long next = floor;
    while (next < end && state(next) == FINISHED) {
      next++;
    }
    counts[FINISHED] -= (int) (next - floor);
    floor = next;
    if (floor == end) {
      rest();
    }
  }

  /** Moves the floor up to this sequence at least, whatever the entries below it are. */
  void raise(long sequence) {
    while (floor < sequence && floor < end) {
      counts[state(floor)]--;
      floor++;
    }
    floor = Math.max(floor, sequence);
    end = Math.max(end, floor);
    advance();
  }

  /** The first entry from this one on that is READY or UNSEEN; the end if there is none. */
  long available(long from) {
    long sequence = Math.max(from, floor);
    while (sequence < end && state(sequence) != READY && state(sequence) != UNSEEN) {
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
    long[] newLocations = new long[capacity];
    int[] newDues = new int[capacity];
    int[] newMetas = new int[capacity];
    for (long s = floor; s < end; s++) {
      int from = index(s);
      int to = (int) s & (capacity - 1);
      newLocations[to] = locations[from];
      newDues[to] = dues[from];
      newMetas[to] = metas[from];
    }
    if (untils.length > 0) {
      resizeDelays(capacity);
    }
    locations = newLocations;
    dues = newDues;
    metas = newMetas;
  }

  private void resizeDelays(int capacity) {
    long[] newUntils = new long[capacity];
    int[] newDelays = new int[capacity];
    for (long s = floor; s < end; s++) {
      int to = (int) s & (capacity - 1);
      newUntils[to] = until(s);
      newDelays[to] = delaySeconds(s);
    }
    untils = newUntils;
    delays = newDelays;
  }
}
