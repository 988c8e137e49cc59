package com.wookler.river.kafka;

import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.message.MessageTooLargeException;
import com.wookler.river.core.message.QueueFailedException;
import com.wookler.river.core.message.QueueFullException;
import org.apache.kafka.clients.producer.BufferExhaustedException;
import org.apache.kafka.common.errors.RecordBatchTooLargeException;
import org.apache.kafka.common.errors.RecordTooLargeException;

/** Makes exceptions of a publisher of those of Kafka's producer. */
final class PublishFailures {
  private final String queue;

  PublishFailures(String queue) {
    this.queue = queue;
  }

  /**
   * Returns the exception for a failure.
   *
   * @param sent whether the topic may have the message all the same
   */
  RuntimeException of(Throwable e, boolean sent) {
    String why = KafkaErrors.words(e);
    if (e instanceof RecordTooLargeException || e instanceof RecordBatchTooLargeException) {
      return new MessageTooLargeException(
          "queue %s: the message is larger than Kafka takes (max.request.size of the publisher,"
                  .formatted(queue)
              + " max.message.bytes of the topic); nothing was stored: "
              + why);
    }
    if (e instanceof BufferExhaustedException) {
      return new QueueFullException(
          "queue %s: what waits for Kafka fills the memory (buffer.memory) of the publisher; nothing"
                  .formatted(queue)
              + " was stored: "
              + why,
          e);
    }
    if (!sent || KafkaErrors.isRefusal(e)) {
      return new RiverException(
          "queue " + queue + ": Kafka has not taken the message; nothing was stored: " + why, e);
    }
    return new QueueFailedException(
        "queue %s: it is not known whether Kafka has the message; the publisher continues: %s"
            .formatted(queue, why),
        e);
  }
}
