package com.wookler.river.benchmarks.scale;

import static com.wookler.river.benchmarks.scale.QueueWork.BATCH;
import static com.wookler.river.benchmarks.scale.QueueWork.PATIENCE;
import static com.wookler.river.benchmarks.scale.QueueWork.RATE;
import static com.wookler.river.benchmarks.scale.QueueWork.acked;
import static com.wookler.river.benchmarks.scale.QueueWork.consume;
import static com.wookler.river.benchmarks.scale.QueueWork.perSecond;
import static com.wookler.river.benchmarks.scale.QueueWork.publish;
import static com.wookler.river.benchmarks.scale.QueueWork.take;

import com.wookler.river.benchmarks.harness.Context;
import com.wookler.river.benchmarks.harness.Recorder;
import com.wookler.river.benchmarks.harness.Rounds;
import com.wookler.river.benchmarks.harness.Samples;
import com.wookler.river.benchmarks.harness.ThisJvm;
import com.wookler.river.benchmarks.harness.WorkerGroup;
import com.wookler.river.benchmarks.report.Row;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.Publisher;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Position;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** The same work at the small and the large end of what may grow, in turn. */
final class Growth {
  private static final int ROUNDS = 7;
  private static final int WINDOW = 1 << 20;
  private static final int MOST_BEGUN = 50; // blocks, so that the oldest are always small ones
  private static final Duration REMOVAL = Duration.ofMinutes(30);

  private Growth() {}

  private static MessageQueue<byte[]> open(Rounds rounds, Context context, String name)
      throws IOException {
    MessageQueue<byte[]> queue = QueueWork.queue(context.fresh(name)).open();
    rounds.closing(queue::delete);
    return queue;
  }

  private static List<Row> rows(Samples samples, Rounds rounds, Context context, String note)
      throws Exception {
    rounds.run(context.count(2, 0), context.rounds(ROUNDS));
    return samples.rows(note);
  }

  /**
   * A queue in which messages wait: for a subscriber that works at the head they are another's, for
   * one that works through them they are its own. 100 million are about 14 GB.
   */
  static List<Row> backlog(Context context) throws Exception {
    int messages = context.count(1_000_000, 1_000);
    Samples samples = Samples.ofSteps(ScaleCommand.TABLE);
    try (Rounds rounds = new Rounds(samples, context)) {
      for (int waiting :
          context.steps(List.of(0, 1_000_000, 10_000_000), List.of(0, 3_000), 100_000_000)) {
        MessageQueue<byte[]> queue = open(rounds, context, "backlog-" + waiting);
        Subscriber<byte[]> own = queue.subscriber(acked("own").build());
        publish(queue, waiting);
        Subscriber<byte[]> head = queue.subscriber(acked("head").start(Position.latest()).build());
        queue.force();
        rounds.add(
            Context.text("%,d waiting", waiting),
            into -> {
              into.add("publish", RATE, publish(queue, messages));
              into.add("consume at the head", RATE, consume(head, messages));
              into.add("consume the oldest", RATE, consume(own, messages));
              ThisJvm.check(
                  own.stats().lag() == waiting && head.stats().lag() == 0,
                  own.stats() + " and " + head.stats());
            });
      }
      return rows(
          samples,
          rounds,
          context,
          "100 B, one thread, batches of 64 with ack; the oldest may have to come from the disk;"
              + " ratio of rates to none waiting");
    }
  }

  /** A queue with one subscriber that works and many that are open but are never polled. */
  static List<Row> subscribers(Context context) throws Exception {
    int messages = context.count(1_000_000, 1_000);
    int trips = context.count(5_000, 100);
    Samples samples = Samples.ofSteps(ScaleCommand.TABLE);
    try (Rounds rounds = new Rounds(samples, context)) {
      for (int idle : context.steps(List.of(0, 1, 10, 100, 1_000), List.of(0, 5))) {
        MessageQueue<byte[]> queue = open(rounds, context, "subscribers-" + idle);
        for (int i = 0; i < idle; i++) {
          queue.subscriber(acked("idle-" + i).build());
        }
        Subscriber<byte[]> active = queue.subscriber(acked("active").build());
        rounds.add(
            Context.text("%,d idle", idle),
            into -> {
              into.add("publish", RATE, publish(queue, messages));
              into.add("consume", RATE, consume(active, messages));
              into.add(
                  "publish to a waiting consumer and back",
                  "trips/s",
                  roundTrips(queue.publisher(), active, trips));
            });
      }
      return rows(
          samples,
          rounds,
          context,
          "100 B, one thread, batches of 64 with ack; the idle ones are open, with ack, and never"
              + " polled; ratio of rates to none idle");
    }
  }

  /** One message at a time, each published when the one before was acknowledged. */
  private static double roundTrips(
      Publisher<byte[]> publisher, Subscriber<byte[]> active, int trips) throws Exception {
    AtomicInteger acked = new AtomicInteger();
    WorkerGroup workers = new WorkerGroup();
    workers.addBody(
        "PUBLISHER",
        () -> {
          byte[] message = new byte[100];
          for (int i = 0; i < trips; i++) {
            publisher.publish(message);
            while (acked.get() <= i) {
              ThisJvm.check(!Thread.currentThread().isInterrupted(), "no answer to message " + i);
              Thread.onSpinWait();
            }
          }
        });
    workers.addBody(
        "CONSUMER",
        () -> {
          for (int i = 0; i < trips; i++) {
            @Nullable Delivery<byte[]> delivery = active.next(PATIENCE);
            if (delivery == null) {
              throw new IllegalStateException("message " + i + " did not come");
            }
            delivery.ack();
            acked.incrementAndGet();
          }
        });
    return workers.work().rate(trips);
  }

  /**
   * A subscriber that holds one message and has acknowledged many after it, slightly out of order
   * as a pool of workers does. Each round holds a message, acknowledges as many, measures, and
   * acknowledges the held one: the window is 1,048,576, so that little is left to measure with.
   */
  static List<Row> acks(Context context) throws Exception {
    int messages = context.count(40_000, 1_000);
    Samples samples = Samples.ofSteps(ScaleCommand.TABLE);
    try (Rounds rounds = new Rounds(samples, context)) {
      for (int acks : context.steps(List.of(0, 1_000, 1_000_000), List.of(0, 2_000))) {
        MessageQueue<byte[]> queue = open(rounds, context, "acks-" + acks);
        Subscriber<byte[]> subscriber = queue.subscriber(wide("worker"));
        rounds.add(
            Context.text("%,d above the floor", acks),
            into -> {
              ThisJvm.await(() -> queue.stats().blocks() == 1, PATIENCE, "removal of blocks");
              Delivery<byte[]> held = holdOne(queue, subscriber, acks);
              if (acks == 0) {
                held.ack();
              }
              queue.force();
              into.add("publish", RATE, publish(queue, messages));
              long started = System.nanoTime();
              List<Delivery<byte[]>> taken = new ArrayList<>(messages);
              while (taken.size() < messages) {
                taken.addAll(take(subscriber, BATCH, taken.size()));
              }
              into.add("take", RATE, perSecond(messages, started));
              started = System.nanoTime();
              acknowledge(taken);
              into.add("ack one by one", RATE, perSecond(messages, started));
              held.ack(); // once more does no harm
              ThisJvm.check(subscriber.stats().lag() == 0, subscriber.stats());
            });
      }
      return rows(
          samples,
          rounds,
          context,
          "100 B, one thread, 40,000 a round, taken by 64, acknowledged one by one, the last of each"
              + " 64 first; ratio of rates to none above the floor");
    }
  }

  /** Acknowledges the last of each batch first, so that each acknowledgement is a record. */
  private static void acknowledge(List<Delivery<byte[]>> taken) {
    for (int batch = 0; batch < taken.size(); batch += BATCH) {
      for (int i = Math.min(batch + BATCH, taken.size()) - 1; i >= batch; i--) {
        taken.get(i).ack();
      }
    }
  }

  /** Holds one message and acknowledges as many after it. */
  static Delivery<byte[]> holdOne(
      MessageQueue<byte[]> queue, Subscriber<byte[]> subscriber, int acks)
      throws InterruptedException {
    publish(queue, acks + 1L);
    Delivery<byte[]> held = take(subscriber, 1, 0).get(0);
    consume(subscriber, acks);
    return held;
  }

  /** Returns a subscriber whose window has room for a million acknowledgements. */
  static SubscriberConfig wide(String name) {
    return acked(name).ackTimeout(Duration.ofHours(12)).window(WINDOW).maxInFlight(WINDOW).build();
  }

  /**
   * A log of many blocks. They are made by closing a block after each message, about 220 KB of disk
   * each, and kept by a subscriber that takes nothing; then blocks are as large as ever.
   */
  static List<Row> blocks(Context context) throws Exception {
    Samples samples = Samples.ofSteps(ScaleCommand.TABLE);
    Map<String, ManyBlocks> logs = new LinkedHashMap<>();
    try (Rounds rounds = new Rounds(samples, context)) {
      for (int blocks : context.steps(List.of(1, 100, 10_000), List.of(1, 12))) {
        ManyBlocks log = new ManyBlocks(context, blocks);
        rounds.closing(log.queue::delete);
        String label = Context.text("%,d %s", blocks, blocks == 1 ? "block" : "blocks");
        rounds.add(label, log);
        logs.put(label, log);
      }
      String note = "100 B, one thread, batches of 64 with ack; ratio of rates to 1 block";
      List<Row> rows = new ArrayList<>(rows(samples, rounds, context, note));
      Samples removal = Samples.ofSteps(ScaleCommand.TABLE);
      for (Map.Entry<String, ManyBlocks> log : logs.entrySet()) {
        if (log.getValue().blocks > 1) {
          removal.add("remove a block, " + log.getKey(), "blocks/s", log.getValue().removeAll());
        }
      }
      rows.addAll(removal.rows("all drained at once, until the last is archived and gone"));
      return rows;
    }
  }

  private static final class ManyBlocks implements Rounds.Contender {
    private final int blocks;
    private final int messages;
    private final int begun;
    private final AtomicBoolean small = new AtomicBoolean(); // read under the append lock
    private final MessageQueue<byte[]> queue;
    private final Subscriber<byte[]> keeper;
    private final Subscriber<byte[]> active;

    ManyBlocks(Context context, int blocks) throws IOException {
      this.blocks = blocks;
      this.messages = context.count(1_000_000, 1_000);
      this.begun = context.count(Math.max(1, MOST_BEGUN / (2 + context.rounds(ROUNDS))), 2);
      this.queue =
          QueueWork.queue(context.fresh("blocks-" + blocks)).recycle(block -> small.get()).open();
      this.keeper = queue.subscriber("keeper");
      begin(blocks - 1);
      this.active = queue.subscriber(acked("active").start(Position.latest()).build());
      queue.force();
    }

    private void begin(int number) {
      small.set(true);
      publish(queue, number);
      small.set(false);
    }

    @Override
    public void round(Recorder into) throws Exception {
      into.add("publish", RATE, publish(queue, messages));
      into.add("consume", RATE, consume(active, messages));
      long started = System.nanoTime();
      begin(begun);
      into.add("begin a block", "blocks/s", perSecond(begun, started));
      into.add("follow into a block", "blocks/s", consume(active, begun)); // one message in each
      keepOldest();
    }

    /** Has as many of the oldest blocks removed as were added. */
    private void keepOldest() {
      int added = queue.stats().blocks() - blocks;
      if (blocks == 1) {
        keeper.purge();
      }
      for (int i = 0; i < added && blocks > 1; i++) {
        keeper.next(); // the oldest blocks hold one message each
      }
      ThisJvm.await(() -> queue.stats().blocks() <= blocks, REMOVAL, "removal of " + added);
      queue.force();
    }

    /** Returns how many blocks a second are removed when all are drained at once. */
    double removeAll() {
      int before = queue.stats().blocks();
      long started = System.nanoTime();
      keeper.purge();
      ThisJvm.await(() -> queue.stats().blocks() == 1, REMOVAL, "removal of all blocks");
      return perSecond(before - 1L, started);
    }
  }
}
