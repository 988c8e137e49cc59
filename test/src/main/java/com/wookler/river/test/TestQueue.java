package com.wookler.river.test;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.message.QueueFullException;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.reactor.Processor;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A queue of a test: a real one, in a directory of its own, on the test's clock. It can be killed
 * and opened again at any step; {@link #queue} is the queue as it is open then.
 *
 * <p>Confined to the test's thread.
 *
 * @param <M> type of the data
 */
public final class TestQueue<M> {
  private static final Duration SYNC = Duration.ofHours(1); // no test loses its power
  private static final long BLOCK_BYTES = 256 << 10;
  private static final int MOST_LETTERS = 100_000;

  private final TestProcess process;
  private final String name;
  private final MessageConverter<M> converter;
  private final UnaryOperator<MessageQueue.Builder<M>> configuration;
  private final Map<String, TestHandler<M>> handlers = new LinkedHashMap<>();
  private @Nullable MessageQueue<M> queue;
  private boolean diskFull;
  private @Nullable Fault once;

  TestQueue(
      TestProcess process,
      String name,
      MessageConverter<M> converter,
      UnaryOperator<MessageQueue.Builder<M>> configuration) {
    this.process = process;
    this.name = name;
    this.converter = converter;
    this.configuration = configuration;
    open();
  }

  void open() {
    MessageQueue.Builder<M> builder =
        configuration
            .apply(
                MessageQueue.builder(name, converter)
                    .blockBytes(BLOCK_BYTES)
                    .diskReserve(0)
                    .syncInterval(SYNC))
            .directory(process.directory())
            .timeSource(process.clock())
            .interceptor(this::admitted);
    queue = builder.open();
  }

  void closeQueue() {
    MessageQueue<M> open = queue;
    queue = null;
    if (open != null) {
      open.close();
    }
  }

  private Message<M> admitted(String to, Message<M> message) {
    if (diskFull) {
      throw new QueueFullException(
          "queue " + to + ": no space for more messages (by the test's wish)");
    }
    return message;
  }

  /** Returns the queue; another object after each {@link #kill} and {@link #restart}. */
  public MessageQueue<M> queue() {
    return Objects.requireNonNull(queue, "the queue is closed");
  }

  /** Returns its name. */
  public String name() {
    return name;
  }

  /** Publishes data, and returns its sequence. */
  public long publish(M data) {
    return queue().publisher().publish(data);
  }

  /** Publishes a message, and returns its sequence. */
  public long publish(Message<M> message) {
    return queue().publisher().publish(message);
  }

  /** Adds a handler with a subscriber that acknowledges, and has defaults otherwise. */
  public TestHandler<M> handle(String subscriber, Processor<M> handler) {
    return handle(subscriber, handler, settings -> settings);
  }

  /**
   * Adds a handler of a subscriber, or replaces the one that the subscriber has. Its messages are
   * delivered when the test says so.
   *
   * @param settings of the subscriber, which acknowledges if they do not say otherwise
   */
  public TestHandler<M> handle(
      String subscriber, Processor<M> handler, UnaryOperator<SubscriberConfig.Builder> settings) {
    SubscriberConfig config =
        settings.apply(SubscriberConfig.builder(subscriber).ack(true)).build();
    TestHandler<M> added = new TestHandler<>(process, this, config, handler);
    queue().subscriber(config); // from now on it holds its messages
    handlers.put(subscriber, added);
    return added;
  }

  /** Delivers to all handlers until there is nothing for any of them; returns how often. */
  public int runUntilIdle() {
    int all = 0;
    int some = 1;
    while (some > 0) {
      some = 0;
      for (TestHandler<M> handler : handlers.values()) {
        some += handler.runUntilIdle();
      }
      all += some;
    }
    return all;
  }

  /** Returns the dead letters of a subscriber, the oldest first. */
  public List<Delivery<M>> deadLetters(String subscriber) {
    process.clock().settle();
    return queue().subscriber(subscriber).deadLetters().peek(MOST_LETTERS);
  }

  /**
   * Checks how many dead letters a subscriber has.
   *
   * @throws AssertionError it has another number; the text says why each became one
   */
  public void assertDeadLetters(String subscriber, int expected) {
    List<Delivery<M>> letters = deadLetters(subscriber);
    if (letters.size() != expected) {
      StringBuilder text = new StringBuilder();
      text.append(name).append('.').append(subscriber).append(" has ").append(letters.size());
      text.append(" dead letters, and not ").append(expected);
      for (Delivery<M> letter : letters) {
        String why = Texts.header(letter, "river.dead.reason");
        text.append(System.lineSeparator()).append("  ").append(letter.data()).append(": ");
        text.append(why);
      }
      throw new AssertionError(text.toString());
    }
  }

  /**
   * Checks that a subscriber has completed every message.
   *
   * @throws AssertionError it has not
   */
  public void assertCompleted(String subscriber) {
    process.clock().settle();
    long lag = queue().subscriber(subscriber).stats().lag();
    long waiting = queue().stats().delayed();
    if (lag != 0 || waiting != 0) {
      throw new AssertionError(
          "%s.%s has not completed %d messages; %d wait for their time"
              .formatted(name, subscriber, lag, waiting));
    }
  }

  /**
   * Kills the process that all queues of the test are in, as {@code kill -9} would, and starts it
   * again: each queue is closed unseen, and opened on a copy that was taken before.
   */
  public void kill() {
    process.note("kill");
    process.kill();
  }

  /** Closes all queues of the test in order, and opens them again. */
  public void restart() {
    process.note("restart");
    process.restart();
  }

  /** Has the next delivery of this queue kill the process at a point of it. */
  public void killAfter(KillPoint point) {
    once = point.fault();
  }

  /** Has a fault come with the next delivery of this queue. */
  public void fail(Fault fault) {
    once = Objects.requireNonNull(fault, "fault");
  }

  /** Lets this share of the deliveries of all queues of the test fail after the handler's work. */
  public void throwInHandler(double chance) {
    process.faults().set(Fault.THROW_AFTER, chance);
  }

  /** Lets the answer of this share of deliveries come too late, so that the message comes again. */
  public void redeliver(double chance) {
    process.faults().set(Fault.TOO_LATE, chance);
  }

  /** Lets this share of acknowledgements get lost. */
  public void loseAck(double chance) {
    process.faults().set(Fault.LOSE_ACK, chance);
  }

  /** Lets messages of different keys change places at this share of deliveries. */
  public void shuffle(double chance) {
    process.faults().set(Fault.REORDER, chance);
  }

  /** Kills the process at this share of deliveries, after the handler's work. */
  public void kill(double chance) {
    process.faults().set(Fault.KILL_AFTER, chance);
  }

  /** Begins or ends to refuse what is published to this queue, as a full disk does. */
  public void diskFull(boolean full) {
    diskFull = full;
  }

  /** Returns what was delivered and what went wrong so far in this test, a line each. */
  public String trace() {
    return process.trace();
  }

  /** Returns the fault of the next delivery. */
  Fault nextFault() {
    Fault next = once;
    once = null;
    return next != null ? next : process.faults().next();
  }

  @Override
  public String toString() {
    return "TestQueue[" + name + "]";
  }
}
