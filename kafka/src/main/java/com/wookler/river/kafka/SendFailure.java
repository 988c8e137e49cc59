package com.wookler.river.kafka;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import org.jspecify.annotations.Nullable;

/**
 * Why a batch was not sent: the first failure, but a refusal before any other. Where a broker
 * refuses one record, those that were sent with it fail in another way, earlier ones perhaps.
 * Thread-safe.
 */
final class SendFailure {
  @GuardedBy("this")
  private @Nullable Exception failure;

  /** Records how one record ended; null: it was sent. */
  synchronized void add(@Nullable Exception e) {
    if (e != null
        && (failure == null || (!KafkaErrors.isRefusal(failure) && KafkaErrors.isRefusal(e)))) {
      failure = e;
    }
  }

  /** Returns the failure, or null: there was none. */
  synchronized @Nullable Exception get() {
    return failure;
  }
}
