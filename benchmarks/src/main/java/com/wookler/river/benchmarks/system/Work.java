package com.wookler.river.benchmarks.system;

/**
 * What is done with a queue.
 *
 * @param publishers publishing threads
 * @param consumers consuming threads, each a subscriber of its own
 * @param size bytes of a message
 * @param batch messages published, or taken, by one call; 1 for one by one
 * @param ack whether consumers acknowledge (one by one, or what one call took by one call)
 * @param disk whether a message is on the device when its publish returns; else it is with the
 *     operating system, and survives the end of the process
 * @param underWay publishes not yet completed that a publisher may have; 0 if it waits for each
 * @param view whether a consumer reads a message where it is; else it gets an array of its own
 */
public record Work(
    int publishers,
    int consumers,
    int size,
    int batch,
    boolean ack,
    boolean disk,
    int underWay,
    boolean view) {
  /** Returns the work of publishing into memory, one by one. */
  static Work publish(int publishers, int size) {
    return new Work(publishers, 0, size, 1, false, false, 0, false);
  }

  /** Returns what a log without acknowledgements, group commit and views can do of it. */
  Work ofPlainLog() {
    return new Work(publishers, consumers, size, batch, false, disk, 0, false);
  }

  /** Returns it without acknowledgements. */
  Work withoutAck() {
    return new Work(publishers, consumers, size, batch, false, disk, underWay, view);
  }
}
