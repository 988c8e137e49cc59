package com.wookler.river.benchmarks.scale;

import com.wookler.river.benchmarks.report.Row;
import com.wookler.river.common.MonitoredThread;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.Publisher;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;

/** A queue with one subscriber that works and many that are open but that nobody polls. */
final class SubscribersPart implements Part {
  private static final int SIZE = 100;

  @Override
  public String name() {
    return "subscribers";
  }

  @Override
  public String about() {
    return "publish and consume beside 0 to 1,000 idle subscribers";
  }

  @Override
  public List<Row> measure(Lab lab) throws Exception {
    List<Trial> trials = new ArrayList<>();
    try {
      for (int idle : lab.steps(List.of(0, 1, 10, 100, 1_000), List.of(0, 5), List.of())) {
        trials.add(new Beside(lab, idle));
      }
      return Comparison.run(
          trials,
          lab.warmUps(),
          lab.rounds(7),
          "100 B, one thread, batches of 64 with ack; the idle ones are open, with ack, and never"
              + " polled; ratio of rates to none idle");
    } finally {
      Comparison.close(trials);
    }
  }

  private static final class Beside implements Trial {
    private final int idle;
    private final int messages;
    private final int trips;
    private final MessageQueue<byte[]> queue;
    private final Subscriber<byte[]> active;

    Beside(Lab lab, int idle) throws IOException {
      this.idle = idle;
      this.messages = lab.count(1_000_000, 1_000);
      this.trips = lab.count(5_000, 100);
      this.queue = Lab.queue(lab.fresh("subscribers-" + idle)).open();
      for (int i = 0; i < idle; i++) {
        queue.subscriber(SubscriberConfig.builder("idle-" + i).ack(true).build());
      }
      this.active = queue.subscriber(SubscriberConfig.builder("active").ack(true).build());
    }

    @Override
    public String label() {
      return String.format(Locale.ROOT, "%,d idle", idle);
    }

    @Override
    public List<Figure> round() throws Exception {
      return List.of(
          new Figure("publish", Rates.UNIT, Rates.publish(queue, messages)),
          new Figure("consume", Rates.UNIT, Rates.consume(active, messages)),
          new Figure("publish to a waiting consumer and back", "trips/s", roundTrips()));
    }

    /** One message at a time, each published when the one before was acknowledged. */
    private double roundTrips() {
      AtomicInteger acked = new AtomicInteger();
      MonitoredThread consumer = new MonitoredThread("consumer", () -> answer(acked));
      consumer.start();
      Publisher<byte[]> publisher = queue.publisher();
      byte[] message = new byte[SIZE];
      long started = System.nanoTime();
      for (int i = 0; i < trips; i++) {
        publisher.publish(message);
        while (acked.get() <= i) {
          if (!consumer.isAlive() && acked.get() <= i) {
            throw new IllegalStateException("no answer to message " + i);
          }
          Thread.onSpinWait();
        }
      }
      double rate = Rates.perSecond(trips, started);
      Await.until(() -> !consumer.isAlive(), Rates.PATIENCE, "the consumer's end");
      return rate;
    }

    private void answer(AtomicInteger acked) {
      try {
        for (int i = 0; i < trips; i++) {
          Delivery<byte[]> delivery = active.next(Rates.PATIENCE);
          if (delivery == null) {
            return; // the publisher says so
          }
          delivery.ack();
          acked.incrementAndGet();
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    @Override
    public void close() {
      queue.delete();
    }
  }
}
