package com.wookler.river.benchmarks.load;

import com.wookler.river.benchmarks.system.Receiver;
import java.util.List;

/**
 * Compares what one subscriber gets with what was published: each publisher's messages, each once,
 * in order, whole. Confined to the subscriber's thread.
 */
final class Received implements Receiver.Sink {
  private final long[] next;
  private final int size;
  private long count;

  /**
   * Nothing yet.
   *
   * @param publishers how many publish
   * @param size of each message
   */
  Received(int publishers, int size) {
    this.next = new long[publishers];
    this.size = size;
  }

  @Override
  public void accept(byte[] data) {
    if (data.length != size) {
      throw new IllegalStateException(
          "message " + count + " has " + data.length + " bytes instead of " + size);
    }
    int publisher = Payloads.publisher(data);
    long index = Payloads.index(data);
    if (publisher >= next.length || index != next[publisher]) {
      throw new IllegalStateException(
          "message "
              + count
              + " is number "
              + index
              + " of publisher "
              + publisher
              + ", which is out of order");
    }
    next[publisher]++;
    count++;
  }

  /** Returns how many came. */
  long count() {
    return count;
  }

  /**
   * Checks that this is all.
   *
   * @param published by each publisher
   */
  void check(List<Long> published) {
    for (int i = 0; i < next.length; i++) {
      if (next[i] != published.get(i)) {
        throw new IllegalStateException(
            "publisher "
                + i
                + " published "
                + published.get(i)
                + " messages, "
                + next[i]
                + " came");
      }
    }
  }
}
