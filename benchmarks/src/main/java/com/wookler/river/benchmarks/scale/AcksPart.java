package com.wookler.river.benchmarks.scale;

import com.wookler.river.benchmarks.report.Row;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A subscriber that holds one message and has acknowledged many behind it, slightly out of order as
 * a pool of workers does. Each round holds a message, acknowledges so many, measures, and lets the
 * message go: the window is 1,048,576, so that little is left to measure with before it is full.
 */
final class AcksPart implements Part {
  private static final int WINDOW = 1 << 20;

  @Override
  public String name() {
    return "acks";
  }

  @Override
  public String about() {
    return "publish, consume and ack with 0 to 1 million acknowledgements above the floor";
  }

  @Override
  public List<Row> measure(Lab lab) throws Exception {
    List<Trial> trials = new ArrayList<>();
    try {
      for (int acks : lab.steps(List.of(0, 1_000, 1_000_000), List.of(0, 2_000), List.of())) {
        trials.add(new Above(lab, acks));
      }
      return Comparison.run(
          trials,
          lab.warmUps(),
          lab.rounds(7),
          "100 B, one thread, 40,000 a round, taken by 64, acknowledged one by one, the last of each 64"
              + " first; ratio of rates to none above the floor");
    } finally {
      Comparison.close(trials);
    }
  }

  /** Holds one message and acknowledges so many behind it. */
  static Delivery<byte[]> holdOne(
      MessageQueue<byte[]> queue, Subscriber<byte[]> subscriber, int acks)
      throws InterruptedException {
    Rates.publish(queue, acks + 1L);
    Delivery<byte[]> held = Rates.take(subscriber, 1, 0).get(0);
    Rates.consume(subscriber, acks);
    return held;
  }

  static SubscriberConfig subscriber(String name) {
    return SubscriberConfig.builder(name)
        .ack(true)
        .ackTimeout(Duration.ofHours(12))
        .window(WINDOW)
        .maxInFlight(WINDOW)
        .build();
  }

  private static final class Above implements Trial {
    private final int acks;
    private final int messages;
    private final MessageQueue<byte[]> queue;
    private final Subscriber<byte[]> subscriber;

    Above(Lab lab, int acks) throws IOException {
      this.acks = acks;
      this.messages = lab.count(40_000, 1_000);
      this.queue = Lab.queue(lab.fresh("acks-" + acks)).open();
      this.subscriber = queue.subscriber(subscriber("worker"));
    }

    @Override
    public String label() {
      return String.format(Locale.ROOT, "%,d above the floor", acks);
    }

    @Override
    public List<Figure> round() throws Exception {
      Await.until(() -> queue.stats().blocks() == 1, Rates.PATIENCE, "removal of blocks");
      Delivery<byte[]> held = holdOne(queue, subscriber, acks);
      if (acks == 0) {
        held.ack();
      }
      queue.force();
      double publish = Rates.publish(queue, messages);
      long started = System.nanoTime();
      List<Delivery<byte[]>> taken = new ArrayList<>(messages);
      while (taken.size() < messages) {
        taken.addAll(Rates.take(subscriber, Rates.BATCH, taken.size()));
      }
      double take = Rates.perSecond(messages, started);
      started = System.nanoTime();
      acknowledge(taken);
      double ack = Rates.perSecond(messages, started);
      held.ack(); // once more does no harm
      if (subscriber.stats().lag() != 0) {
        throw new IllegalStateException("not all was delivered: " + subscriber.stats());
      }
      return List.of(
          new Figure("publish", Rates.UNIT, publish),
          new Figure("take", Rates.UNIT, take),
          new Figure("ack one by one", Rates.UNIT, ack));
    }

    /** The last of each batch first, so that each acknowledgement is a record of its own. */
    private static void acknowledge(List<Delivery<byte[]>> taken) {
      for (int batch = 0; batch < taken.size(); batch += Rates.BATCH) {
        for (int i = Math.min(batch + Rates.BATCH, taken.size()) - 1; i >= batch; i--) {
          taken.get(i).ack();
        }
      }
    }

    @Override
    public void close() {
      queue.delete();
    }
  }
}
