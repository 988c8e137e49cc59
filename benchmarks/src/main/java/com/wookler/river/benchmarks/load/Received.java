package com.wookler.river.benchmarks.load;

import com.wookler.river.benchmarks.harness.ThisJvm;
import com.wookler.river.benchmarks.system.OpenQueue.Sink;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Compares what one subscriber gets with what was published: each publisher's messages, each once,
 * in order, whole. Confined to the subscriber's thread.
 */
final class Received implements Sink {
  private final long[] next;
  private final int size;
  private long count;

  /** Creates it for messages of this size. */
  Received(int publishers, int size) {
    this.next = new long[publishers];
    this.size = size;
  }

  @Override
  public void accept(byte[] data) {
    check(data.length, Payloads.number(data));
  }

  @Override
  public void view(ByteBuffer data) {
    check(data.remaining(), data.getLong(data.position()));
  }

  private void check(int length, long number) {
    if (length != size) {
      throw new IllegalStateException("message " + count + " has " + length + " bytes");
    }
    int publisher = Payloads.publisher(number);
    if (publisher >= next.length || Payloads.index(number) != next[publisher]) {
      throw new IllegalStateException(
          Payloads.index(number) + " of publisher " + publisher + " is out of order at " + count);
    }
    next[publisher]++;
    count++;
  }

  /** Returns how many came. */
  long count() {
    return count;
  }

  /** Checks that this is all that each publisher has published. */
  void check(List<Long> published) {
    for (int i = 0; i < next.length; i++) {
      ThisJvm.check(
          next[i] == published.get(i),
          next[i] + " of the messages of publisher " + i + " came, not " + published.get(i));
    }
  }
}
