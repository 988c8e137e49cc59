package com.wookler.river.kafka;

import java.util.List;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

/**
 * One producer of a forwarder. After any failure but a refusal its state is unknown: it is closed,
 * and another one is opened. Confined to the forwarder's thread.
 */
interface ForwardSession extends SessionLoop.Session {
  /**
   * Connects, and finds out what the topic has.
   *
   * @param lowWatermark of the subscriber
   * @return the place of the first message that the topic does not have
   */
  long open(long lowWatermark);

  /** Checks that a broker answers and has the topic. */
  static void requireTopic(Producer<?, ?> producer, String topic) {
    try {
      producer.partitionsFor(topic);
    } catch (TimeoutException | UnknownTopicOrPartitionException e) {
      throw new UnreachableException(
          "no broker answers, or there is no topic " + topic + ": " + e.getMessage());
    }
  }

  /**
   * Transfers messages: all of them are in the topic when this returns null.
   *
   * @param next the place after the last of them
   * @return why the topic has none of them, or, at least once, perhaps some: one of them was
   *     refused
   */
  @Nullable Exception send(List<? extends Outgoing<?>> batch, long next);

  /** Does what is due while there are no messages. */
  void idle(long next);

  /**
   * Waits some seconds for the forwarder that has shut this one out to name itself.
   *
   * @throws TakenOverException it did
   */
  default void awaitOwner() {}

  /** Closes it within seconds. What was not committed is not in the topic. */
  @Override
  void close();
}
