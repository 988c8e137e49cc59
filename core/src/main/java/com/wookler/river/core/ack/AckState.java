package com.wookler.river.core.ack;

/**
 * The state of a ledger at one moment, as a snapshot keeps it. Immutable once made, so that the
 * flusher may write it while the ledger goes on.
 */
final class AckState {
  private final long floor;
  private final long handedOver;
  private final int[] metas;

  private AckState(long floor, long handedOver, int[] metas) {
    this.floor = floor;
    this.handedOver = handedOver;
    this.metas = metas;
  }

  /** Copies 4 bytes for each entry of the ring. */
  static AckState of(Ring ring, long handedOver) {
    return new AckState(ring.floor(), handedOver, ring.copyMetas());
  }

  /** A subscriber that begins here. */
  static AckState startingAt(long sequence) {
    return new AckState(sequence, sequence, new int[0]);
  }

  long floor() {
    return floor;
  }

  long handedOver() {
    return handedOver;
  }

  /** How many entries there are from the floor on. */
  int size() {
    return metas.length;
  }

  boolean isFinished(int entry) {
    return Ring.stateOf(metas[entry]) == Ring.FINISHED;
  }

  int attempts(int entry) {
    return Ring.attemptOf(metas[entry]);
  }

  /** Whether an unfinished entry's attempts don't follow from the mark alone. */
  boolean hasOwnAttempts(int entry) {
    int usual = floor + entry < handedOver ? 1 : 0;
    return !isFinished(entry) && attempts(entry) != usual;
  }
}
