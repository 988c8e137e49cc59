package com.wookler.river.kafka;

import com.wookler.river.core.message.QueueClosedException;
import java.util.List;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.InvalidTimestampException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RecordBatchTooLargeException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.SerializationException;
import org.jspecify.annotations.Nullable;

/** Says what a failure of Kafka's clients is about. */
final class KafkaErrors {
  private static final List<Class<? extends Exception>> REFUSALS =
      List.of(
          RecordTooLargeException.class,
          RecordBatchTooLargeException.class,
          SerializationException.class,
          InvalidRecordException.class,
          InvalidTimestampException.class,
          InvalidTopicException.class,
          UnmappableException.class);

  private static final List<Class<? extends Exception>> FENCED =
      List.of(ProducerFencedException.class, InvalidProducerEpochException.class);

  private KafkaErrors() {}

  /** Returns whether the failure is one of a message, which another try would not change. */
  static boolean isRefusal(Throwable failure) {
    return isOf(failure, REFUSALS);
  }

  /** Returns whether a later producer of the same transactional id has shut this one out. */
  static boolean isFenced(Throwable failure) {
    return isOf(failure, FENCED);
  }

  /** Returns whether the queue or its subscriber was closed. */
  static boolean isClosedQueue(Throwable failure) {
    return isOf(failure, List.of(QueueClosedException.class));
  }

  /** Returns whether the failure, or one of its causes, is of one of the classes. */
  static boolean isOf(Throwable failure, List<Class<? extends Exception>> classes) {
    for (Throwable at = failure; at != null; at = at.getCause()) {
      for (Class<? extends Exception> each : classes) {
        if (each.isInstance(at)) {
          return true;
        }
      }
    }
    return false;
  }

  /** Returns the failure in words: of the innermost cause, which Kafka's own often wrap. */
  static String words(Throwable failure) {
    Throwable at = failure;
    @Nullable Throwable cause = at.getCause();
    while (cause != null) {
      at = cause;
      cause = at.getCause();
    }
    return at.getClass().getSimpleName() + ": " + at.getMessage();
  }
}
