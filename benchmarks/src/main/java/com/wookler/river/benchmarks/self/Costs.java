package com.wookler.river.benchmarks.self;

import static com.wookler.river.benchmarks.self.QueueWork.BATCH;
import static com.wookler.river.benchmarks.self.QueueWork.RATE;
import static com.wookler.river.benchmarks.self.QueueWork.SMALL;
import static com.wookler.river.benchmarks.self.QueueWork.acked;
import static com.wookler.river.benchmarks.self.QueueWork.millisSince;
import static com.wookler.river.benchmarks.self.QueueWork.perSecond;

import com.wookler.river.benchmarks.harness.Context;
import com.wookler.river.benchmarks.harness.Rounds;
import com.wookler.river.benchmarks.harness.ThisJvm;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.Publisher;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Order;
import com.wookler.river.core.subscriber.Position;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;

/** What a message costs that is more than published, read and acknowledged. */
final class Costs {
  private static final byte[] DATA = new byte[SMALL];
  private static final Duration DELAY = Duration.ofHours(1);
  private static final Duration LONG = Duration.ofMinutes(3);
  private static final int IN_FLIGHT = 1 << 16;
  private static final int KEYS = 1_000;
  private static final int LARGE = 1_024; // bytes
  private static final int NACKED = 3; // one of this many

  private Costs() {}

  private static void publish(
      MessageQueue<byte[]> queue, int count, IntFunction<Message<byte[]>> message) {
    Publisher<byte[]> publisher = queue.publisher();
    for (int i = 0; i < count; i++) {
      publisher.publish(message.apply(i));
    }
  }

  private static Message<byte[]> plain() {
    return Message.of(DATA);
  }

  /** All delayed messages of a queue fall due at one moment. */
  static void delayed(Context context, Rounds rounds) throws Exception {
    int messages = context.count(1_000_000, 2_000);
    rounds.note("100 B, forced before they are due; until the last of them is in the log again");
    for (int i = 0; i < context.rounds(3); i++) {
      ShiftedTime time = new ShiftedTime();
      MessageQueue<byte[]> queue =
          QueueWork.queue(context.fresh("delayed")).timeSource(time).open();
      try {
        publish(queue, messages, at -> plain().deliverAfter(DELAY));
        queue.force();
        ThisJvm.await(() -> queue.stats().delayed() == messages, LONG, "collection");
        queue.force();
        time.advance(DELAY.plusSeconds(1));
        long started = System.nanoTime();
        queue.publisher().publish(plain().deliverAfter(Duration.ofMillis(1))); // which wakes
        ThisJvm.await(() -> queue.stats().delayed() == 0, LONG, "delivery");
        rounds.add(
            Context.text("deliver %,d due at once", messages), RATE, perSecond(messages, started));
        long copies = queue.stats().nextSequence();
        ThisJvm.check(copies == 2L * messages + 2, copies);
      } finally {
        queue.delete();
      }
    }
  }

  /** A plain message is published after many delayed ones. */
  static void behind(Context context, Rounds rounds) throws Exception {
    int messages = context.count(1_000_000, 2_000);
    String after = Context.text(" after %,d delayed ones", messages);
    for (int i = 0; i < context.rounds(3); i++) {
      MessageQueue<byte[]> queue = QueueWork.queue(context.fresh("behind")).open();
      try {
        Subscriber<byte[]> waiting = queue.subscriber(acked("waiting").build());
        CompletableFuture<Long> arrived =
            waiting.batchAsync(1, LONG).thenApply(batch -> System.nanoTime());
        publish(queue, messages, at -> plain().deliverAfter(DELAY));
        long published = System.nanoTime();
        queue.publisher().publish(plain());
        rounds.note("from the call of publish to the delivery, to a subscriber that waits; 100 B");
        rounds.add("a plain message" + after, "ms", (arrived.get() - published) / 1e6);
        Subscriber<byte[]> late =
            queue.subscriber(acked("late").start(Position.earliest()).build());
        long started = System.nanoTime();
        QueueWork.take(late, 1, 0);
        rounds.note("to a subscriber that starts before the delayed ones");
        rounds.add("the first message" + after, "ms", millisSince(started));
      } finally {
        queue.delete();
      }
    }
  }

  /** Messages whose ids are new, those whose ids are in memory, and those whose are in files. */
  static void duplicates(Context context, Rounds rounds) throws Exception {
    int messages = context.count(200_000, 1_000);
    rounds.note("100 B, one thread, one by one, ids of 36 characters; a window of an hour");
    List<Message<byte[]>> withIds = new ArrayList<>();
    for (int i = 0; i < messages; i++) {
      withIds.add(plain().withId(Context.text("%036d", i * 7_919L)));
    }
    for (int i = 0; i < context.rounds(5); i++) {
      MessageQueue<byte[]> queue =
          QueueWork.queue(context.fresh("duplicates")).deduplicate(Duration.ofHours(1)).open();
      try {
        rounds.add("publish with a new id", RATE, publishAll(queue, withIds));
        queue.force();
        rounds.add("publish with a known id", RATE, publishAll(queue, withIds));
        long stored = queue.stats().nextSequence();
        ThisJvm.check(stored == messages, stored);
      } finally {
        queue.delete();
      }
    }
  }

  private static double publishAll(MessageQueue<byte[]> queue, List<Message<byte[]>> messages) {
    long started = System.nanoTime();
    publish(queue, messages.size(), messages::get);
    return perSecond(messages.size(), started);
  }

  /** A subscriber with order by key, many messages of which are in flight or wait. */
  static void keys(Context context, Rounds rounds) throws Exception {
    int messages = context.count(400_000, 2_000);
    int inFlight = context.count(IN_FLIGHT, 500);
    for (int i = 0; i < context.rounds(3); i++) {
      MessageQueue<byte[]> queue = QueueWork.queue(context.fresh("keys")).open();
      try {
        Subscriber<byte[]> bySequence = queue.subscriber(wide("sequence", Order.SEQUENCE));
        Subscriber<byte[]> byKey = queue.subscriber(wide("key", Order.KEY)); // keeps the blocks
        Random random = new Random(1);
        byte[] data = new byte[LARGE];
        publish(queue, messages, at -> Message.of(data).withKey("key-" + random.nextInt(inFlight)));
        rounds.note(
            Context.text(
                "1 KiB, %,d keys at random, as many in flight, batches of 64 with ack", inFlight));
        rounds.add(
            "consume by sequence, 64 k in flight", RATE, held(bySequence, messages, inFlight));
        rounds.add("consume by key, 64 k in flight", RATE, held(byKey, messages, inFlight));
        int backlog = messages / 4;
        Position here = Position.sequence(queue.stats().nextSequence());
        Subscriber<byte[]> keyed =
            queue.subscriber(acked("nacks-by-key").order(Order.KEY).start(here).build());
        Subscriber<byte[]> plain = queue.subscriber(acked("nacks").start(here).build());
        publish(queue, backlog, at -> plain().withKey("key-" + at % KEYS));
        rounds.note("100 B, 1,000 keys, a third is given back once without delay");
        rounds.add("drain a backlog by key with nacks", RATE, nacked(keyed, backlog));
        rounds.add("drain a backlog by sequence with nacks", RATE, nacked(plain, backlog));
      } finally {
        queue.delete();
      }
    }
  }

  private static SubscriberConfig wide(String name, Order order) {
    return acked(name)
        .order(order)
        .ackTimeout(DELAY)
        .maxInFlight(IN_FLIGHT + BATCH)
        .window(1 << 20)
        .build();
  }

  /**
   * Takes messages, and acknowledges the oldest when that many are in flight; half of them where
   * all that follow wait for their keys.
   */
  private static double held(Subscriber<byte[]> subscriber, int messages, int inFlight)
      throws InterruptedException {
    Deque<Delivery<byte[]>> held = new ArrayDeque<>();
    long started = System.nanoTime();
    for (int left = messages; left > 0; ) {
      List<Delivery<byte[]>> taken = subscriber.batch(BATCH, Duration.ZERO);
      held.addAll(taken);
      ThisJvm.check(!held.isEmpty(), subscriber.stats());
      List<Delivery<byte[]>> done = new ArrayList<>();
      int keep = taken.isEmpty() ? held.size() / 2 : inFlight;
      while (held.size() > keep) {
        done.add(held.remove());
      }
      subscriber.ack(done);
      left -= done.size();
    }
    double rate = perSecond(messages, started);
    ThisJvm.check(subscriber.stats().lag() == 0, subscriber.stats());
    subscriber.close();
    return rate;
  }

  /** Drains a backlog, of which one of three messages is given back once. */
  private static double nacked(Subscriber<byte[]> subscriber, int messages)
      throws InterruptedException {
    long started = System.nanoTime();
    for (int left = messages; left > 0; ) {
      List<Delivery<byte[]>> done = new ArrayList<>();
      for (Delivery<byte[]> each : QueueWork.take(subscriber, BATCH, messages - left)) {
        if (each.attempt() == 1 && each.sequence() % NACKED == 0) {
          each.nack();
        } else {
          done.add(each);
        }
      }
      subscriber.ack(done);
      left -= done.size();
    }
    double rate = perSecond(messages, started);
    ThisJvm.check(subscriber.stats().lag() == 0, subscriber.stats());
    subscriber.close();
    return rate;
  }

  /** Many messages are given back with a delay, expire or become dead letters. */
  static void completions(Context context, Rounds rounds) throws Exception {
    int messages = context.count(100_000, 1_000);
    for (int i = 0; i < context.rounds(3); i++) {
      ShiftedTime time = new ShiftedTime();
      MessageQueue<byte[]> queue =
          QueueWork.queue(context.fresh("completions"))
              .maxAge(Duration.ofDays(1), null)
              .timeSource(time)
              .open();
      try {
        publish(queue, messages, at -> plain());
        delayedNacks(rounds, time, queue.subscriber(wide("nacks", Order.SEQUENCE)), messages);
        rounds.note("rejected one by one; until all are dead letters, forced; 100 B");
        Subscriber<byte[]> rejects = queue.subscriber(wide("rejects", Order.SEQUENCE));
        long started = System.nanoTime();
        for (int count = 0; count < messages; ) {
          for (Delivery<byte[]> each : QueueWork.take(rejects, BATCH, count)) {
            each.reject("no");
            count++;
          }
        }
        ThisJvm.await(() -> rejects.stats().lag() == 0, LONG, "dead letters");
        rounds.add("reject to dead letters", RATE, perSecond(messages, started));
        Subscriber<byte[]> late = queue.subscriber(wide("late", Order.SEQUENCE));
        time.advance(Duration.ofDays(2));
        started = System.nanoTime();
        ThisJvm.check(late.next(Duration.ZERO) == null, "expired");
        ThisJvm.await(() -> late.stats().lag() == 0, LONG, "expiry");
        rounds.note("a poll, after all have expired and are dropped; 100 B");
        rounds.add("expire at once", RATE, perSecond(messages, started));
      } finally {
        queue.delete();
      }
    }
  }

  private static void delayedNacks(
      Rounds rounds, ShiftedTime time, Subscriber<byte[]> subscriber, int messages)
      throws InterruptedException {
    int some = Math.min(messages, IN_FLIGHT);
    List<Delivery<byte[]>> taken = new ArrayList<>();
    while (taken.size() < some) {
      taken.addAll(QueueWork.take(subscriber, Math.min(BATCH, some - taken.size()), taken.size()));
    }
    rounds.note("given back one by one with a delay, all in flight");
    long started = System.nanoTime();
    for (Delivery<byte[]> each : taken) {
      each.nack(Duration.ofMinutes(1));
    }
    rounds.add("nack with a delay", RATE, perSecond(some, started));
    time.advance(Duration.ofMinutes(2));
    started = System.nanoTime();
    for (int count = 0; count < some; ) {
      List<Delivery<byte[]>> again = QueueWork.take(subscriber, BATCH, count);
      subscriber.ack(again);
      count += again.size();
    }
    rounds.note("all due at once, batches of 64 with ack");
    rounds.add("deliver again after the delay", RATE, perSecond(some, started));
    subscriber.close();
  }
}
