package com.wookler.river.reactor;

import com.wookler.river.core.subscriber.Backoff;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Order;
import com.wookler.river.core.subscriber.Settlement;
import com.wookler.river.core.subscriber.Subscriber;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Where a {@link Reactor} gets messages from: a subscriber of a queue, or another engine that
 * delivers each message at least once and takes its acknowledgement. Processors run unchanged on
 * all of them. Thread-safe.
 *
 * @param <M> type of the data
 */
public interface DeliverySource<M> {
  /** What a source may be able to do. What it cannot is refused when a reactor is built. */
  enum Capability {
    /** Messages of one key are processed one after the other, in their order. */
    KEY_ORDER,
    /** Messages are processed one after the other, in the order of the source. */
    SEQUENCE_ORDER;

    static Capability of(Order order) {
      return order == Order.KEY ? KEY_ORDER : SEQUENCE_ORDER;
    }
  }

  /** Returns the source of a queue's subscriber. */
  static <M> DeliverySource<M> of(Subscriber<M> subscriber) {
    return new SubscriberSource<>(subscriber);
  }

  /** Returns its name in logs and counters, by the rule of names of subscribers. */
  String name();

  /**
   * Names the data that it reads, so that this and a {@link Delivery#sequence} name one message for
   * good. It may ask the engine, and fail with it; a reactor asks for it only where a processor
   * does.
   */
  default String origin() {
    return name();
  }

  /** Returns what its data is called in meters, as a queue or a topic; must not block. */
  default String queue() {
    return name();
  }

  /** Returns what it can do. */
  Set<Capability> capabilities();

  /** Returns what to use for what it cannot do, for the error that says so. */
  default String alternative() {
    return "a queue's subscriber";
  }

  /** Returns how long a message waits that fails, or is retried without a delay of its own. */
  default Backoff backoff() {
    return Backoff.none();
  }

  /**
   * Opens a consumer, one for each thread of a reactor. Called on the thread that uses and closes
   * it; what it throws is logged, and it is tried again.
   *
   * @param max messages that it takes at once
   */
  Consumer<M> consumer(int max);

  /**
   * Takes batches, each of which is settled before the next one is taken. Confined to one thread.
   * After it has thrown an exception it is closed, and another one is opened in its place.
   *
   * @param <M> type of the data
   */
  interface Consumer<M> extends AutoCloseable {
    /**
     * Takes what is there, waiting only while there is nothing; empty if nothing came in time. The
     * lease of what it returns began with the call, or later.
     *
     * @return messages whose own acknowledgements are not called, such as {@link SourceMessage}s
     * @throws InterruptedException interrupted while waiting; nothing was taken
     */
    List<Delivery<M>> take(Duration timeout) throws InterruptedException;

    /**
     * Settles the batch that was taken last. What cannot be settled is delivered again.
     *
     * @param answers one for each message, in their order: ack, release, reject, or nack with the
     *     delay after which the message is to be delivered again
     */
    void settle(List<Settlement> answers);

    /** Returns after which time without {@link #keepAlive} the batch would be delivered again. */
    Duration lease();

    /** Keeps the batch, which is still being processed, for another {@link #lease}. */
    void keepAlive();

    /** Returns how many messages it has made dead letters since it was opened. */
    default long deadLetters() {
      return 0;
    }

    /**
     * Returns how many messages wait for it: those that it may take next, and those that it has and
     * that are not completed. Empty, the default: its engine does not tell without being asked.
     */
    default OptionalLong lag() {
      return OptionalLong.empty();
    }

    /**
     * Keeps what it has between two batches, its membership in a group perhaps. Called a few times
     * a second while no batch is taken or processed: the reactor is busy, paused or held back.
     */
    default void idle() {}

    /** Gives back what is not settled. */
    @Override
    void close();
  }
}
