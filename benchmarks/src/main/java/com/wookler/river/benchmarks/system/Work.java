package com.wookler.river.benchmarks.system;

/**
 * What is done with a queue.
 *
 * @param publishers publishing threads
 * @param consumers consuming threads, each a subscriber of its own
 * @param size bytes of a message
 * @param batch messages published, or taken, by one call; 1 for one by one
 * @param ack whether consumers acknowledge (one by one, or what one call took by one call)
 * @param level how safe a message is when its publish returns
 * @param underWay publishes not yet completed that a publisher may have; 0 if it waits for each
 */
public record Work(
    int publishers, int consumers, int size, int batch, boolean ack, Level level, int underWay) {
  /** How safe a message is. */
  public enum Level {
    /** With the operating system: survives the end of the process. */
    MEMORY,
    /** On the device: survives the end of the power. */
    DISK
  }

  /** Returns the work of publishing into memory, one by one. */
  public static Work publish(int publishers, int size) {
    return new Work(publishers, 0, size, 1, false, Level.MEMORY, 0);
  }

  /** Returns the work of consuming messages that are there. */
  public static Work consume(int consumers, int size, int batch, boolean ack) {
    return new Work(0, consumers, size, batch, ack, Level.MEMORY, 0);
  }

  /** Returns the same in batches. */
  public Work inBatches(int messages) {
    return new Work(publishers, consumers, size, messages, ack, level, underWay);
  }

  /** Returns the same, forced to the device; 0 under way to wait for each publish. */
  public Work forced(int publishesUnderWay) {
    return new Work(publishers, consumers, size, batch, ack, Level.DISK, publishesUnderWay);
  }
}
