package com.wookler.river.benchmarks.scale;

import com.wookler.river.benchmarks.harness.Context;
import com.wookler.river.benchmarks.harness.Samples;
import com.wookler.river.benchmarks.harness.ThisJvm;
import com.wookler.river.benchmarks.report.Row;
import com.wookler.river.common.TimeSource;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import java.time.Duration;
import java.time.Instant;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** The acknowledgement timeouts of all messages in flight pass at one moment. */
final class Redelivery {
  private static final Duration TIMEOUT = Duration.ofHours(1);

  private Redelivery() {}

  static List<Row> measure(Context context) throws Exception {
    int messages = context.count(1_000_000, 2_000);
    Samples heap = Samples.ofSteps(ScaleCommand.TABLE);
    Samples seconds = Samples.ofSteps(ScaleCommand.TABLE);
    for (int i = 0; i < context.rounds(3); i++) {
      ShiftedTime time = new ShiftedTime();
      MessageQueue<byte[]> queue =
          QueueWork.queue(context.fresh("redelivery")).timeSource(time).open();
      try {
        Subscriber<byte[]> subscriber =
            queue.subscriber(
                QueueWork.acked("slow")
                    .ackTimeout(TIMEOUT)
                    .window(messages)
                    .maxInFlight(messages)
                    .build());
        QueueWork.publish(queue, messages);
        long before = ThisJvm.heapBytes();
        deliver(subscriber, messages, 1);
        heap.add(
            Context.text("heap of %,d in flight", messages),
            "MB",
            (ThisJvm.heapBytes() - before) / 1e6);
        time.advance(TIMEOUT.plusSeconds(1));
        long started = System.nanoTime();
        deliver(subscriber, messages, 2);
        seconds.add(
            Context.text("deliver %,d again", messages), "s", QueueWork.millisSince(started) / 1e3);
      } finally {
        queue.delete();
      }
    }
    String before = "used heap after collections, less that before they were taken";
    return List.of(
        heap.rows(before + "; deliveries dropped").get(0),
        seconds
            .rows("from their expiry, one thread, batches of 64, not acknowledged; 100 B")
            .get(0));
  }

  /** Takes all, each of them once. */
  private static void deliver(Subscriber<byte[]> subscriber, int messages, int attempt)
      throws InterruptedException {
    BitSet seen = new BitSet(messages);
    for (int left = messages; left > 0; ) {
      List<Delivery<byte[]>> batch = QueueWork.take(subscriber, QueueWork.BATCH, messages - left);
      for (Delivery<byte[]> delivery : batch) {
        seen.set((int) delivery.sequence());
        ThisJvm.check(delivery.attempt() == attempt, delivery);
      }
      left -= batch.size();
    }
    ThisJvm.check(seen.cardinality() == messages, seen.cardinality() + " of " + messages);
  }

  /** The system's clocks, which can be put forward, so that all timeouts pass at one moment. */
  private static final class ShiftedTime implements TimeSource {
    private final TimeSource system = TimeSource.system();
    private final AtomicLong shift = new AtomicLong(); // nanoseconds

    void advance(Duration step) {
      shift.addAndGet(step.toNanos());
    }

    @Override
    public long nanoTime() {
      return system.nanoTime() + shift.get();
    }

    @Override
    public Instant wallTime() {
      return system.wallTime().plusNanos(shift.get());
    }

    @Override
    public long epochMicros() {
      return system.epochMicros() + shift.get() / 1_000;
    }
  }
}
