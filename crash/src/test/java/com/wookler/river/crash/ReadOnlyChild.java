package com.wookler.river.crash;

import com.wookler.river.common.errors.DamagedException;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.QueueState;
import com.wookler.river.core.SizeBasedRecycle;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Order;
import com.wookler.river.core.subscriber.Position;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls everything that a queue and its subscribers offer while the queue's volume cannot be
 * written, until the queue has failed and for some time after that, then closes it. Every call has
 * to return or to throw a {@link RiverException} that calls no message damaged; the process must
 * not die.
 */
final class ReadOnlyChild {
  /** Printed at the end if every call did as it should. */
  static final String DONE = "ReadOnlyChild is done";

  static final int MESSAGES = 400;
  static final int ACKED = 120;
  static final SubscriberConfig BILLING =
      SubscriberConfig.builder("billing").ack(true).maxDeliveries(2).build();

  private static final Logger LOG = LoggerFactory.getLogger(ReadOnlyChild.class);
  private static final SubscriberConfig KEYED =
      SubscriberConfig.builder("keyed").ack(true).order(Order.KEY).build();
  private static final int ROUNDS = 4;

  private final MessageQueue<String> queue;
  private final Random random;
  private final List<Delivery<String>> held = new ArrayList<>();
  private int made; // subscribers, each with a name of its own

  private ReadOnlyChild(MessageQueue<String> queue, Random random) {
    this.queue = queue;
    this.random = random;
  }

  static MessageQueue.Builder<String> target(Path directory) {
    return MessageQueue.builder("audit", MessageConverter.utf8()).directory(directory);
  }

  static MessageQueue.Builder<String> source(Path directory) {
    return MessageQueue.builder("orders", MessageConverter.utf8())
        .directory(directory)
        .maxMessageBytes(16 << 10)
        .recycle(SizeBasedRecycle.ofMessages(50))
        .syncInterval(Duration.ofMillis(50))
        .deduplicate(Duration.ofHours(1))
        .keyIndex(true)
        .forwardTo("audit")
        .subscriber(BILLING)
        .subscriber(KEYED);
  }

  /** Arguments: directory, a file that it makes, a file that it waits for, seed. */
  public static void main(String[] args) throws Exception {
    Path directory = Path.of(args[0]);
    try {
      MessageQueue<String> audit = target(directory).open();
      MessageQueue<String> orders = source(directory).open();
      ReadOnlyChild child = new ReadOnlyChild(orders, new Random(Long.parseLong(args[3])));
      child.fill();
      audit.force();
      Files.createFile(Path.of(args[1]));
      if (!Waiting.until(Waiting.RESUMED, () -> Files.exists(Path.of(args[2])))) {
        throw new AssertionError("the volume is not read-only");
      }
      child.callEverything();
      attempt("close", orders::close);
      attempt("close", audit::close);
      LOG.warn(DONE);
    } catch (Throwable e) {
      LOG.error("failed", e);
      Runtime.getRuntime().halt(1);
    }
    Runtime.getRuntime().halt(0);
  }

  private void fill() throws InterruptedException {
    Subscriber<String> billing = queue.subscriber(BILLING);
    for (int i = 0; i < MESSAGES; i++) {
      queue.publisher().put(message(i), Durability.MEMORY);
    }
    billing.ack(billing.batch(ACKED, Duration.ofSeconds(10)));
    held.addAll(billing.batch(ACKED, Duration.ofSeconds(10)));
    held.addAll(queue.subscriber(KEYED).batch(ACKED, Duration.ofSeconds(10)));
    held.remove(0).reject("a dead letter");
    queue.force();
  }

  private static Message<String> message(long number) {
    return Message.of("m" + number).withKey("key" + number % 10).withId("id-" + number);
  }

  /** A call, and how it is named where it does what it must not. */
  private record Call(String name, Action action) {}

  private interface Action {
    void run() throws Exception;
  }

  private void callEverything() throws Exception {
    List<Call> calls = calls();
    for (int round = 0; round < ROUNDS; round++) {
      Collections.shuffle(calls, random);
      for (Call call : calls) {
        attempt(call.name(), call.action());
      }
    }
    if (!Waiting.until(Waiting.RESUMED, () -> queue.state() == QueueState.FAILED)) {
      throw new AssertionError("the queue says nothing of its volume: " + queue.state());
    }
    for (int round = 0; round < ROUNDS; round++) {
      Collections.shuffle(calls, random);
      for (Call call : calls) {
        attempt(call.name(), call.action());
      }
    }
    for (long sequence = 0; sequence < MESSAGES; sequence++) {
      if (!queue.read(sequence).orElseThrow().data().equals("m" + sequence)) {
        throw new AssertionError("sequence " + sequence + " is another one");
      }
    }
  }

  private List<Call> calls() {
    Subscriber<String> billing = queue.subscriber(BILLING);
    Subscriber<String> keyed = queue.subscriber(KEYED);
    return new ArrayList<>(
        List.of(
            new Call("publish", () -> queue.publisher().publish("one more")),
            new Call("publishAll", () -> queue.publisher().publishAll(List.of("two", "three"))),
            new Call("put", () -> queue.publisher().put(Message.of("disk"), Durability.DISK)),
            new Call("put a repetition", () -> queue.publisher().publish(message(1))),
            new Call("put delayed", this::publishDelayed),
            new Call("putAsync", this::publishAsync),
            new Call("force", queue::force),
            new Call("stats", queue::stats),
            new Call("read", () -> queue.read(random.nextInt(MESSAGES))),
            new Call("read many", () -> queue.read(random.nextInt(MESSAGES), 100)),
            new Call("sequenceAt", () -> queue.sequenceAt(Instant.now().minusSeconds(1))),
            new Call("latest", () -> queue.latest("key3")),
            new Call("batch", () -> held.addAll(billing.batch(5, Duration.ZERO))),
            new Call("batch of keys", () -> held.addAll(keyed.batch(5, Duration.ZERO))),
            new Call("peek", () -> billing.peek(5)),
            new Call("ack", () -> taken().ack()),
            new Call("nack", () -> taken().nack()),
            new Call("nack for later", () -> taken().nack(Duration.ofHours(1))),
            new Call("reject", () -> taken().reject("why")),
            new Call("release", () -> taken().release()),
            new Call("extend", () -> taken().extend(Duration.ofMinutes(1))),
            new Call("seek", () -> keyed.seek(Position.sequence(random.nextInt(MESSAGES)))),
            new Call("seek to a time", () -> keyed.seek(Position.time(Instant.now()))),
            new Call("peek letters", () -> billing.deadLetters().peek(5)),
            new Call("redrive", () -> billing.deadLetters().redrive(1)),
            new Call("purge letters", () -> billing.deadLetters().purge()),
            new Call("a new subscriber", this::newSubscriber),
            new Call("remove a subscriber", () -> queue.removeSubscriber("s" + made))));
  }

  private void publishDelayed() {
    queue.publisher().publish(Message.of("later").deliverAfter(Duration.ofMillis(10)));
  }

  private void publishAsync() {
    queue.publisher().putAsync(List.of(Message.of("async")), Durability.DISK).join();
  }

  private void newSubscriber() {
    made++;
    SubscriberConfig.Builder settings = SubscriberConfig.builder("s" + made).ack(made % 2 == 0);
    queue.subscriber(settings.start(Position.sequence(random.nextInt(MESSAGES))).build()).next();
  }

  private Delivery<String> taken() {
    return held.get(random.nextInt(held.size()));
  }

  private static void attempt(String name, Action call) {
    try {
      call.run();
    } catch (DamagedException e) { // what was not read is not known to be damaged
      throw new AssertionError(name, e);
    } catch (RiverException e) {
      LOG.debug("{}: {}", name, e.toString());
    } catch (CompletionException e) {
      if (!(e.getCause() instanceof RiverException)) {
        throw new AssertionError(name, e);
      }
    } catch (Throwable e) {
      throw new AssertionError(name, e);
    }
  }
}
