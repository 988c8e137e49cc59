package com.wookler.river.benchmarks.scale;

import com.wookler.river.benchmarks.report.Row;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.subscriber.Position;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A queue in which many messages wait: for a subscriber that works at the head they are another's,
 * for one that works through them they are its own. 100 million are about 14 GB.
 */
final class BacklogPart implements Part {
  @Override
  public String name() {
    return "backlog";
  }

  @Override
  public String about() {
    return "publish and consume with 0 to 10 million messages waiting, 100 million with --full";
  }

  @Override
  public List<Row> measure(Lab lab) throws Exception {
    List<Trial> trials = new ArrayList<>();
    try {
      for (int waiting :
          lab.steps(List.of(0, 1_000_000, 10_000_000), List.of(0, 3_000), List.of(100_000_000))) {
        trials.add(new Waiting(lab, waiting));
      }
      return Comparison.run(
          trials,
          lab.warmUps(),
          lab.rounds(7),
          "100 B, one thread, batches of 64 with ack; the oldest may have to come from the disk;"
              + " ratio of rates to none waiting");
    } finally {
      Comparison.close(trials);
    }
  }

  private static final class Waiting implements Trial {
    private final int waiting;
    private final int messages;
    private final MessageQueue<byte[]> queue;
    private final Subscriber<byte[]> own;
    private final Subscriber<byte[]> head;

    Waiting(Lab lab, int waiting) throws IOException {
      this.waiting = waiting;
      this.messages = lab.count(1_000_000, 1_000);
      this.queue = Lab.queue(lab.fresh("backlog-" + waiting)).open();
      this.own = queue.subscriber(SubscriberConfig.builder("own").ack(true).build());
      Rates.publish(queue, waiting);
      this.head =
          queue.subscriber(
              SubscriberConfig.builder("head").ack(true).start(Position.latest()).build());
      queue.force();
    }

    @Override
    public String label() {
      return String.format(Locale.ROOT, "%,d waiting", waiting);
    }

    @Override
    public List<Figure> round() throws Exception {
      double publish = Rates.publish(queue, messages);
      double atHead = Rates.consume(head, messages);
      double oldest = Rates.consume(own, messages);
      if (own.stats().lag() != waiting || head.stats().lag() != 0) {
        throw new IllegalStateException(own.stats() + " and " + head.stats());
      }
      return List.of(
          new Figure("publish", Rates.UNIT, publish),
          new Figure("consume at the head", Rates.UNIT, atHead),
          new Figure("consume the oldest", Rates.UNIT, oldest));
    }

    @Override
    public void close() {
      queue.delete();
    }
  }
}
