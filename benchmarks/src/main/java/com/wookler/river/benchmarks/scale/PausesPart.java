package com.wookler.river.benchmarks.scale;

import com.wookler.river.benchmarks.report.Row;
import com.wookler.river.common.MonitoredThread;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.Publisher;
import com.wookler.river.core.SizeBasedRecycle;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;

/**
 * The longest pauses of a publisher at a fixed rate: beside a log that only grows, beside one whose
 * blocks are recycled, consumed, archived and forced all the time, and of the same pacing without
 * publishing, which shows what the machine itself adds.
 */
final class PausesPart implements Part {
  private static final int RATE = 20_000;
  private static final int SIZE = 1_024;
  private static final long BLOCK_BYTES = 16L << 20;
  private static final Duration WAIT = Duration.ofMillis(100);
  private static final double P9999 = 0.9999;

  @Override
  public String name() {
    return "pauses";
  }

  @Override
  public String about() {
    return "the longest pause of a paced publisher while blocks are recycled, archived, forced";
  }

  @Override
  public List<Row> measure(Lab lab) throws Exception {
    List<Trial> trials = new ArrayList<>();
    int calls =
        (int) (RATE * lab.time(Duration.ofSeconds(20), Duration.ofMillis(200)).toMillis() / 1_000);
    Events events = Events.ofSize(lab.count(20_000, 100), SIZE);
    try {
      trials.add(new Machine(calls));
      trials.add(new Growing(lab, calls, events));
      trials.add(new Busy(lab, calls, events));
      String note =
          String.format(
              Locale.ROOT,
              "%,d/s of 1 KiB, %,d calls a round, counted from when each was due; busy: blocks of"
                  + " 16 MB recycled, consumed with ack, archived",
              RATE,
              calls);
      return Comparison.run(trials, lab.count(1, 0), lab.rounds(3), note);
    } finally {
      Comparison.close(trials);
    }
  }

  private static List<Trial.Figure> figures(int calls, LongConsumer work) {
    Pacer.Lateness lateness = new Pacer(RATE).run(calls, () -> false, work);
    return List.of(
        new Trial.Figure("pause p99.99", "µs", lateness.micros(P9999)),
        new Trial.Figure("longest pause", "µs", lateness.micros(1)));
  }

  private record Machine(int calls) implements Trial {
    @Override
    public String label() {
      return "not publishing";
    }

    @Override
    public List<Figure> round() {
      return figures(calls, number -> {});
    }

    @Override
    public void close() {}
  }

  /** Nothing happens beside the background force and the making of blocks. */
  private static final class Growing implements Trial {
    private final int calls;
    private final Events events;
    private final MessageQueue<byte[]> queue;

    Growing(Lab lab, int calls, Events events) throws Exception {
      this.calls = calls;
      this.events = events;
      this.queue = Lab.queue(lab.fresh("pauses-growing")).blockBytes(1L << 30).open();
    }

    @Override
    public String label() {
      return "log grows";
    }

    @Override
    public List<Figure> round() {
      Publisher<byte[]> publisher = queue.publisher();
      return figures(calls, number -> publisher.publish(events.get(number)));
    }

    @Override
    public void close() {
      queue.delete();
    }
  }

  private static final class Busy implements Trial {
    private final int calls;
    private final Events events;
    private final MessageQueue<byte[]> queue;
    private final Subscriber<byte[]> subscriber;
    private final MonitoredThread consumer;
    private volatile boolean ended; // set by the measuring thread, read by the consumer
    private final AtomicLong consumed = new AtomicLong();

    Busy(Lab lab, int calls, Events events) throws Exception {
      this.calls = calls;
      this.events = events;
      this.queue =
          Lab.queue(lab.fresh("pauses-busy"))
              .recycle(SizeBasedRecycle.ofBytes(lab.isQuick() ? BLOCK_BYTES / 16 : BLOCK_BYTES))
              .open();
      this.subscriber = queue.subscriber(SubscriberConfig.builder("worker").ack(true).build());
      this.consumer = new MonitoredThread("consumer", this::consume);
      consumer.start();
    }

    private void consume() {
      try {
        while (!ended) {
          List<Delivery<byte[]>> batch = subscriber.batch(Rates.BATCH, WAIT);
          subscriber.ack(batch);
          consumed.addAndGet(batch.size());
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    @Override
    public String label() {
      return "busy";
    }

    @Override
    public List<Figure> round() {
      long goal = consumed.get() + calls;
      Publisher<byte[]> publisher = queue.publisher();
      List<Figure> figures = figures(calls, number -> publisher.publish(events.get(number)));
      Await.until(() -> consumed.get() == goal, Rates.PATIENCE, goal + " messages");
      return figures;
    }

    @Override
    public void close() {
      ended = true;
      Await.until(() -> !consumer.isAlive(), Rates.PATIENCE, "the consumer's end");
      queue.delete();
    }
  }
}
