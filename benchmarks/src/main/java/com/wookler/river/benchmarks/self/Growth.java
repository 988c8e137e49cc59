package com.wookler.river.benchmarks.self;

import static com.wookler.river.benchmarks.self.QueueWork.BATCH;
import static com.wookler.river.benchmarks.self.QueueWork.PATIENCE;
import static com.wookler.river.benchmarks.self.QueueWork.RATE;
import static com.wookler.river.benchmarks.self.QueueWork.acked;
import static com.wookler.river.benchmarks.self.QueueWork.consume;
import static com.wookler.river.benchmarks.self.QueueWork.lookUp;
import static com.wookler.river.benchmarks.self.QueueWork.publish;

import com.wookler.river.benchmarks.harness.Context;
import com.wookler.river.benchmarks.harness.Rounds;
import com.wookler.river.benchmarks.harness.ThisJvm;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Position;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/** The same work at the small and the large end of what may grow, in turn. */
final class Growth {
  private static final int ROUNDS = 5;
  private static final int WINDOW = 1 << 20;
  private static final String HOW = "100 B, one thread, batches of 64 with ack; ";

  private Growth() {}

  /**
   * A queue in which messages wait: for a subscriber that works at the head they are another's, for
   * one that works through them they are its own. 100 million are about 14 GB.
   */
  static void backlog(Context context, Rounds rounds) throws Exception {
    int messages = context.count(1_000_000, 1_000);
    rounds.note(HOW + "the oldest may have to come from the disk; ratio of rates to none waiting");
    for (int waiting :
        context.steps(List.of(0, 1_000_000, 10_000_000), List.of(0, 3_000), 100_000_000)) {
      MessageQueue<byte[]> queue = QueueWork.open(rounds, context, "backlog-" + waiting);
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
    rounds.run(context.count(1, 0), ROUNDS);
  }

  /** A queue with one subscriber that works and many that are open but are never polled. */
  static void subscribers(Context context, Rounds rounds) throws Exception {
    int messages = context.count(1_000_000, 1_000);
    rounds.note(
        HOW + "the idle ones are open, with ack, and never polled; ratio of rates to none idle");
    for (int idle : context.steps(List.of(0, 1, 10, 100, 1_000), List.of(0, 5))) {
      MessageQueue<byte[]> queue = QueueWork.open(rounds, context, "subscribers-" + idle);
      for (int i = 0; i < idle; i++) {
        queue.subscriber(acked("idle-" + i).build());
      }
      Subscriber<byte[]> active = queue.subscriber(acked("active").build());
      rounds.add(
          Context.text("%,d idle", idle),
          into -> {
            into.add("publish", RATE, publish(queue, messages));
            into.add("consume", RATE, consume(active, messages));
          });
    }
    rounds.run(context.count(1, 0), ROUNDS);
  }

  /**
   * A subscriber that holds one message and has acknowledged many after it, slightly out of order
   * as a pool of workers does. Each round holds a message, acknowledges as many, measures, and
   * acknowledges the held one: the window is 1,048,576, so that little is left to measure with.
   */
  static void acks(Context context, Rounds rounds) throws Exception {
    int messages = context.count(40_000, 1_000);
    rounds.note(
        "100 B, one thread, 40,000 a round, taken by 64, acknowledged one by one, the last of each"
            + " 64 first; ratio of rates to none above the low watermark");
    for (int acks : context.steps(List.of(0, 1_000, 1_000_000), List.of(0, 2_000))) {
      MessageQueue<byte[]> queue = QueueWork.open(rounds, context, "acks-" + acks);
      Subscriber<byte[]> subscriber = queue.subscriber(wide("worker"));
      rounds.add(
          Context.text("%,d above the low watermark", acks),
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
              taken.addAll(QueueWork.take(subscriber, BATCH, taken.size()));
            }
            into.add("take", RATE, QueueWork.perSecond(messages, started));
            started = System.nanoTime();
            acknowledge(taken);
            into.add("ack one by one", RATE, QueueWork.perSecond(messages, started));
            held.ack(); // once more does no harm
            ThisJvm.check(subscriber.stats().lag() == 0, subscriber.stats());
          });
    }
    rounds.run(context.count(1, 0), ROUNDS);
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
    Delivery<byte[]> held = QueueWork.take(subscriber, 1, 0).get(0);
    consume(subscriber, acks);
    return held;
  }

  /** Returns a subscriber whose window has room for a million acknowledgements. */
  static SubscriberConfig wide(String name) {
    return acked(name).ackTimeout(Duration.ofHours(12)).window(WINDOW).maxInFlight(WINDOW).build();
  }

  /**
   * A log of many blocks. They are made by closing a block after each message, about 220 KB of disk
   * each, and kept by a subscriber that takes nothing; then blocks are as large as ever. After each
   * round as many of the oldest blocks are removed as were added.
   */
  static void blocks(Context context, Rounds rounds) throws Exception {
    int messages = context.count(1_000_000, 1_000);
    rounds.note(HOW + "ratio of rates to 1 block");
    for (int blocks : context.steps(List.of(1, 100, 10_000), List.of(1, 12))) {
      AtomicBoolean small = new AtomicBoolean(true); // read under the append lock
      MessageQueue<byte[]> queue =
          QueueWork.deleting(
              rounds,
              QueueWork.queue(context.fresh("blocks-" + blocks))
                  .recycle(block -> small.get())
                  .open());
      Subscriber<byte[]> keeper = queue.subscriber("keeper");
      publish(queue, blocks - 1);
      small.set(false);
      Subscriber<byte[]> active =
          queue.subscriber(acked("active").start(Position.latest()).build());
      queue.force();
      rounds.add(
          Context.text("%,d %s", blocks, blocks == 1 ? "block" : "blocks"),
          into -> {
            into.add("publish", RATE, publish(queue, messages));
            into.add("consume", RATE, consume(active, messages));
            into.add("look up", "look-ups/s", lookUp(queue, messages / 10));
            for (int added = queue.stats().blocks() - blocks; blocks > 1 && added > 0; added--) {
              keeper.next(); // the oldest blocks hold one message each
            }
            if (blocks == 1) {
              keeper.purge();
            }
            ThisJvm.await(() -> queue.stats().blocks() <= blocks, PATIENCE, "removal of blocks");
            queue.force();
          });
    }
    rounds.run(context.count(1, 0), ROUNDS);
  }
}
