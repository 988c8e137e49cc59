package com.wookler.river.opentelemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.ThreadMXBean;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.PublishInterceptor;
import com.wookler.river.core.Publisher;
import com.wookler.river.core.message.MessageConverter;
import io.opentelemetry.api.OpenTelemetry;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Counts what a publishing thread allocates for a message. */
class AllocationTest {
  private static final int RUNS = 101;
  private static final int MESSAGES = 200;

  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  @TempDir Path directory;

  private MessageQueue.Builder<byte[]> builder(String name) {
    return MessageQueue.builder(name, MessageConverter.bytes()).directory(directory);
  }

  /** The median of the runs, which leaves out those in which a class was loaded. */
  private double bytesOfAPublish(MessageQueue.Builder<byte[]> builder) {
    byte[] data = new byte[100];
    long[] runs = new long[RUNS];
    try (MessageQueue<byte[]> queue = builder.open()) {
      Publisher<byte[]> publisher = queue.publisher();
      for (int run = 0; run < RUNS; run++) {
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < MESSAGES; i++) {
          publisher.publish(data);
        }
        runs[run] = threads.getCurrentThreadAllocatedBytes() - before;
      }
    }
    Arrays.sort(runs);
    return (double) runs[RUNS / 2] / MESSAGES;
  }

  @Test
  void shouldAllocateNothingWhereThereIsNoTelemetry() {
    assumeTrue(threads.isThreadAllocatedMemorySupported(), "needs a JVM that counts allocations");
    assertThat(bytesOfAPublish(builder("without"))).isZero();
  }

  @Test
  void shouldAllocateLittleMoreThanABuilderWithoutAnSdk() {
    assumeTrue(threads.isThreadAllocatedMemorySupported(), "needs a JVM that counts allocations");
    RiverTelemetry telemetry = RiverTelemetry.create(OpenTelemetry.noop());
    PublishInterceptor<byte[]> nothing = (queue, message) -> message;
    double with = bytesOfAPublish(builder("no-op").interceptor(telemetry.publishing()));
    double without = bytesOfAPublish(builder("nothing").interceptor(nothing));
    assertThat(with - without).isBetween(0.0, 64.0);
  }
}
