package com.wookler.river.benchmarks.scale;

import static com.wookler.river.benchmarks.scale.QueueWork.acked;
import static com.wookler.river.benchmarks.scale.QueueWork.millisSince;
import static com.wookler.river.benchmarks.scale.QueueWork.take;

import com.wookler.river.benchmarks.harness.ChildJvm;
import com.wookler.river.benchmarks.harness.Context;
import com.wookler.river.benchmarks.harness.Samples;
import com.wookler.river.benchmarks.harness.ThisJvm;
import com.wookler.river.benchmarks.report.Row;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Queues that are opened again. */
final class Restarts {
  private static final int MORE = 5_000;
  private static final int EACH = 10;
  private static final String WORKER = "worker";

  private Restarts() {}

  /**
   * A queue with a large backlog and many acknowledgements above the low watermark is opened by a
   * new JVM, after a close and after the process was killed. Before each kill more is acknowledged,
   * so that not all acknowledgements are in a snapshot.
   */
  static List<Row> restart(Context context) throws Exception {
    int waiting = context.count(10_000_000, 30_000);
    int acks = context.count(1_000_000, 1_000);
    Path directory = context.fresh("restart");
    try (MessageQueue<byte[]> queue = QueueWork.queue(directory).open()) {
      Growth.holdOne(queue, queue.subscriber(Growth.wide(WORKER)), acks);
      QueueWork.publish(queue, waiting);
    }
    String what = Context.text("open, %,d waiting, %,d acks above the floor", waiting, acks);
    Samples samples = Samples.ofSteps(ScaleCommand.TABLE);
    int acked = acks;
    for (int i = 0; i < context.rounds(5); i++) {
      open(directory, acked, true, what + ", after a close", samples);
      acked += MORE;
      open(directory, acked, false, what + ", after a kill", samples);
    }
    return samples.rows("from open() to the first delivery, in a JVM that has just started; 100 B");
  }

  private static void open(Path directory, int acks, boolean kill, String what, Samples samples)
      throws Exception {
    try (ChildJvm child = new ChildJvm(List.of("-Xmx1g"))) {
      double[] millis = child.ask(new Open(directory.toString(), acks), double[].class);
      samples.add(what, "ms", millis[1]);
      samples.add(what + ", open() alone", "ms", millis[0]);
      if (child.ask(new End(kill), Boolean.class)) {
        child.kill();
      }
    }
  }

  /** Opens the queue and takes what comes first; milliseconds until both. */
  record Open(String directory, int acks) implements Context.Job<double[]> {
    // Of the one queue that the JVM which does the job opens, for End.
    private static @Nullable MessageQueue<byte[]> queue;
    private static @Nullable Delivery<byte[]> second;

    @Override
    public double[] call() throws Exception {
      long started = System.nanoTime();
      MessageQueue<byte[]> opened = QueueWork.queue(Path.of(directory)).open();
      queue = opened;
      double open = millisSince(started);
      Subscriber<byte[]> subscriber = opened.subscriber(Growth.wide(WORKER));
      Delivery<byte[]> first = take(subscriber, 1, 0).get(0);
      double delivered = millisSince(started);
      Delivery<byte[]> next = take(subscriber, 1, 1).get(0);
      second = next;
      ThisJvm.check(
          first.sequence() == 0 && next.sequence() == acks + 1L,
          "got " + first.sequence() + " and " + next.sequence() + " with " + acks + " acks");
      return new double[] {open, delivered};
    }
  }

  /** Closes the queue, or acknowledges more of it; returns whether to kill the process then. */
  record End(boolean kill) implements Context.Job<Boolean> {
    @Override
    public Boolean call() throws Exception {
      MessageQueue<byte[]> queue = Open.queue;
      Delivery<byte[]> second = Open.second;
      if (queue == null || second == null) {
        throw new IllegalStateException("the queue is not open");
      }
      if (kill) {
        second.ack();
        Subscriber<byte[]> subscriber = queue.subscriber(WORKER);
        List<Delivery<byte[]>> taken = new ArrayList<>(MORE);
        while (taken.size() < MORE - 1) {
          taken.addAll(take(subscriber, MORE - 1 - taken.size(), taken.size()));
        }
        taken.forEach(Delivery::ack);
      } else {
        queue.close();
      }
      return kill;
    }
  }

  /** A queue with many subscribers, each with acknowledged messages, is opened with all of them. */
  static List<Row> reopen(Context context) throws Exception {
    int count = context.count(1_000, 10);
    Path directory = context.fresh("reopen");
    Samples samples = Samples.ofSteps(ScaleCommand.TABLE);
    openAll(directory, count);
    for (int i = 0; i < context.rounds(5); i++) {
      samples.add(
          Context.text("open again, %,d subscribers, CPU", count), "ms", openAll(directory, count));
    }
    return samples.rows(
        "the process's CPU from open() until all subscribers are open, with ack; each finishes "
            + EACH
            + " messages a round");
  }

  /** Returns the processor time of the opening, in milliseconds. */
  private static double openAll(Path directory, int count) throws InterruptedException {
    long before = ThisJvm.cpuNanos();
    try (MessageQueue<byte[]> queue = QueueWork.queue(directory).open()) {
      List<Subscriber<byte[]>> subscribers = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        subscribers.add(queue.subscriber(acked("subscriber-" + i).build()));
      }
      double millis = (ThisJvm.cpuNanos() - before) / 1e6;
      QueueWork.publish(queue, EACH);
      for (Subscriber<byte[]> subscriber : subscribers) {
        List<Delivery<byte[]>> batch = take(subscriber, EACH, 0);
        ThisJvm.check(batch.size() == EACH, subscriber.name() + " got " + batch.size());
        subscriber.ack(batch);
      }
      return millis;
    }
  }
}
