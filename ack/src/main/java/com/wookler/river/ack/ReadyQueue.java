package com.wookler.river.ack;

/**
 * Keeps sequences that wait for something, first come first served: those that are {@link
 * EntryState#READY} for a further delivery, and those that are {@link EntryState#EXHAUSTED}.
 * Guarded by the subscriber's lock.
 *
 * <p>Like {@link Deadlines} it is cleaned late. While a sequence is in the queue's state, its due
 * in the ring is its number here; an entry for which that doesn't hold is passed over.
 */
final class ReadyQueue {
  private static final int MIN_CAPACITY = 256;

  private final Ring ring;
  private final EntryState state;
  private long[] sequences = new long[MIN_CAPACITY];
  private long head;
  private long tail;

  ReadyQueue(Ring ring, EntryState state) {
    this.ring = ring;
    this.state = state;
  }

  /** Adds a sequence that is in the state and not here. */
  void add(long sequence) {
    if (tail - head == sequences.length) {
      makeRoom();
    }
    ring.due(sequence, tail);
    sequences[index(tail)] = sequence;
    tail++;
  }

  /** Returns the next one, which stays; -1 if there is none. */
  long peek() {
    if (ring.count(state) == 0) {
      clear();
    }
    while (head < tail && !isLive(head)) {
      head++;
    }
    return head == tail ? -1 : sequences[index(head)];
  }

  void clear() {
    head = 0;
    tail = 0;
    if (sequences.length > MIN_CAPACITY * 256) {
      sequences = new long[MIN_CAPACITY];
    }
  }

  int capacity() {
    return sequences.length;
  }

  private boolean isLive(long number) {
    long sequence = sequences[index(number)];
    return ring.holds(sequence) && ring.is(sequence, state) && ring.due(sequence) == (int) number;
  }

  /** Drops stale entries, and doubles if more than half are live. */
  private void makeRoom() {
    boolean grow = ring.count(state) > sequences.length / 2;
    long[] target = new long[grow ? sequences.length * 2 : sequences.length];
    int kept = 0;
    for (long number = head; number < tail; number++) {
      if (isLive(number)) {
        target[kept++] = sequences[index(number)];
      }
    }
    for (int i = 0; i < kept; i++) {
      ring.due(target[i], i);
    }
    sequences = target;
    head = 0;
    tail = kept;
  }

  private int index(long number) {
    return (int) number & (sequences.length - 1);
  }
}
