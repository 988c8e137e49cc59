package com.wookler.river.examples.recipes;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.message.QueueFullException;
import com.wookler.river.kafka.KafkaForwarder;
import com.wookler.river.kafka.KafkaForwarderStats;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/**
 * A spool in front of Apache Kafka, for a program that must not wait for brokers, and not lose what
 * it says while there is none.
 *
 * <ul>
 *   <li>{@link #send} returns when the event is on the device, whether a broker is there or not.
 *   <li>Events are in the topic in order and once, whatever is killed, for consumers that read with
 *       {@code isolation.level=read_committed}.
 *   <li>What waits is bounded: {@code send} throws when the spool is full.
 * </ul>
 */
public final class KafkaSpool implements AutoCloseable {
  private static final long MOST_BYTES = 10L << 30;

  private final MessageQueue<String> queue;
  private final KafkaForwarder<String> forwarder;

  /**
   * Opens the spool, and begins to forward what it has.
   *
   * @param directory where it is, of this process alone
   * @param brokers such as {@code kafka-1:9092,kafka-2:9092}
   * @param topic which has to exist; with one partition, or keys, for the order
   * @param pauseWhenAway how long to wait before brokers that are away are tried again
   */
  public KafkaSpool(Path directory, String brokers, String topic, Duration pauseWhenAway) {
    queue =
        MessageQueue.builder("spool", MessageConverter.utf8())
            .directory(directory)
            .durability(Durability.DISK)
            .maxBytes(MOST_BYTES)
            .open();
    try {
      forwarder =
          KafkaForwarder.builder(queue, Map.of("bootstrap.servers", brokers))
              .topic(topic)
              .pause(pauseWhenAway)
              .start();
    } catch (Throwable e) {
      queue.close();
      throw e;
    }
  }

  /**
   * Stores an event, which is in the topic soon; events of one key keep their order there.
   *
   * @throws QueueFullException the spool is full, because no broker was there for too long
   */
  public void send(String key, String event) {
    queue.publisher().publish(Message.of(event).withKey(key));
  }

  /** Returns how many events wait, since when no broker was reached, and what failed last. */
  public KafkaForwarderStats stats() {
    return forwarder.stats();
  }

  /** Ends; what is not in the topic yet waits for the next start. */
  @Override
  public void close() {
    forwarder.close();
    queue.close();
  }
}
