package com.wookler.river.benchmarks.scale;

import com.wookler.river.benchmarks.report.Row;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;

/** All messages that may be in flight expire at one moment and are delivered again. */
final class RedeliveryPart implements Part {
  private static final Duration TIMEOUT = Duration.ofHours(1);
  private static final double MEGABYTE = 1e6;

  @Override
  public String name() {
    return "redelivery";
  }

  @Override
  public String about() {
    return "1 million messages in flight: their heap, and the time to deliver them again";
  }

  @Override
  public List<Row> measure(Lab lab) throws Exception {
    int messages = lab.count(1_000_000, 2_000);
    int rounds = lab.rounds(3);
    List<Double> heap = new ArrayList<>();
    List<Double> seconds = new ArrayList<>();
    for (int i = 0; i < rounds; i++) {
      expire(lab, messages, heap, seconds);
    }
    return List.of(
        Lab.row(
            String.format(Locale.ROOT, "heap of %,d in flight", messages),
            "MB",
            Spread.of(heap),
            "used heap after collections, less that before they were taken; deliveries dropped"),
        Lab.row(
            String.format(Locale.ROOT, "deliver %,d again", messages),
            "s",
            Spread.of(seconds),
            "from their expiry, one thread, batches of 64, not acknowledged; 100 B"));
  }

  private static void expire(Lab lab, int messages, List<Double> heap, List<Double> seconds)
      throws Exception {
    ShiftedTime time = new ShiftedTime();
    MessageQueue<byte[]> queue = Lab.queue(lab.fresh("redelivery")).timeSource(time).open();
    try {
      Subscriber<byte[]> subscriber =
          queue.subscriber(
              SubscriberConfig.builder("slow")
                  .ack(true)
                  .ackTimeout(TIMEOUT)
                  .window(messages)
                  .maxInFlight(messages)
                  .build());
      Rates.publish(queue, messages);
      long before = Heap.used();
      deliver(subscriber, messages, 1);
      heap.add((Heap.used() - before) / MEGABYTE);
      time.advance(TIMEOUT.plusSeconds(1));
      long started = System.nanoTime();
      deliver(subscriber, messages, 2);
      seconds.add((System.nanoTime() - started) / 1e9);
    } finally {
      queue.delete();
    }
  }

  /** Takes all, each of them once. */
  private static void deliver(Subscriber<byte[]> subscriber, int messages, int attempt)
      throws InterruptedException {
    BitSet seen = new BitSet(messages);
    for (int left = messages; left > 0; ) {
      List<Delivery<byte[]>> batch = Rates.take(subscriber, Rates.BATCH, messages - left);
      for (Delivery<byte[]> delivery : batch) {
        seen.set((int) delivery.sequence());
        if (delivery.attempt() != attempt) {
          throw new IllegalStateException("not attempt " + attempt + ": " + delivery);
        }
      }
      left -= batch.size();
    }
    if (seen.cardinality() != messages) {
      throw new IllegalStateException("only " + seen.cardinality() + " of " + messages);
    }
  }
}
