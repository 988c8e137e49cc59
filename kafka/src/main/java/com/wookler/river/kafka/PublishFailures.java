package com.wookler.river.kafka;

import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.message.MessageTooLargeException;
import com.wookler.river.core.message.QueueFailedException;
import com.wookler.river.core.message.QueueFullException;
import java.util.List;
import org.apache.kafka.clients.producer.BufferExhaustedException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.RecordBatchTooLargeException;
import org.apache.kafka.common.errors.RecordTooLargeException;

/** Makes exceptions of a publisher of those of Kafka's producer. */
final class PublishFailures {
  private final String queue;

  PublishFailures(String queue) {
    this.queue = queue;
  }

  /**
   * Returns the exception for a failure, by what is along its causes.
   *
   * @param sent whether the topic may have the message all the same
   */
  RuntimeException of(Throwable e, boolean sent) {
    String why = KafkaErrors.words(e);
    if (KafkaErrors.isOf(
        e, List.of(RecordTooLargeException.class, RecordBatchTooLargeException.class))) {
      return new MessageTooLargeException(
          "queue %s: the message is larger than Kafka takes (max.request.size of the publisher,"
                  .formatted(queue)
              + " max.message.bytes of the topic); nothing was stored: "
              + why);
    }
    if (KafkaErrors.isOf(e, List.of(BufferExhaustedException.class))) {
      return new QueueFullException(
          "queue %s: what waits for Kafka fills the memory (buffer.memory) of the publisher; nothing"
                  .formatted(queue)
              + " was stored: "
              + why,
          e);
    }
    boolean refused =
        KafkaErrors.isOf(e, List.of(AuthorizationException.class, AuthenticationException.class));
    if (sent && !refused && !KafkaErrors.isRefusal(e)) {
      return new QueueFailedException(
          "queue %s: it is not known whether Kafka has the message; the publisher continues: %s"
              .formatted(queue, why),
          e);
    }
    if (KafkaErrors.isRefusal(e) || !KafkaErrors.isOf(e, List.of(KafkaException.class))) {
      return new RiverException(
          "queue " + queue + ": Kafka has not taken the message; nothing was stored: " + why, e);
    }
    return new QueueFullException(
        "queue " + queue + ": Kafka takes no messages now; nothing was stored: " + why, e);
  }
}
