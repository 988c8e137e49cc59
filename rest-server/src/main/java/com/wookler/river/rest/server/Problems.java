package com.wookler.river.rest.server;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.message.DamagedMessageException;
import com.wookler.river.core.message.MessageTooLargeException;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.core.message.QueueFailedException;
import com.wookler.river.core.message.QueueFullException;
import com.wookler.river.core.message.QueueLockedException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What to answer when something is thrown. */
final class Problems {
  private static final Logger LOG = LoggerFactory.getLogger(Problems.class);
  private static final int FULL_SECONDS = 1;
  private static final int UNAVAILABLE_SECONDS = 5;

  private Problems() {}

  /**
   * The problem that an exception means to who asked.
   *
   * @param request by which the log knows what is unexpected
   */
  static Problem of(Throwable thrown, String request) {
    Throwable cause = cause(thrown);
    if (cause instanceof Problem problem) {
      return problem;
    }
    Problem known = cause instanceof RiverException ours ? of(ours) : null;
    if (known == null) {
      LOG.error("Request {} failed", request, cause);
      return Problem.of(Problem.Kind.INTERNAL, "see the server's log");
    }
    return known;
  }

  /** What a future failed with. */
  static Throwable cause(Throwable thrown) {
    Throwable cause = thrown;
    while ((cause instanceof CompletionException || cause instanceof ExecutionException)
        && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause;
  }

  private static @Nullable Problem of(RiverException thrown) {
    String text = String.valueOf(thrown.getMessage());
    if (thrown instanceof QueueFullException) {
      return Problem.later(Problem.Kind.QUEUE_FULL, text, FULL_SECONDS);
    }
    if (thrown instanceof MessageTooLargeException) {
      return Problem.of(Problem.Kind.TOO_LARGE, text);
    }
    if (thrown instanceof QueueClosedException) {
      return Problem.later(Problem.Kind.UNAVAILABLE, text, UNAVAILABLE_SECONDS);
    }
    if (thrown instanceof QueueFailedException) {
      return Problem.of(Problem.Kind.QUEUE_FAILED, text);
    }
    if (thrown instanceof DamagedMessageException) {
      return Problem.of(Problem.Kind.DAMAGED, text);
    }
    if (thrown instanceof QueueLockedException) {
      return Problem.of(Problem.Kind.CONFLICT, text);
    }
    return thrown instanceof ConfigurationException
        ? Problem.of(Problem.Kind.BAD_REQUEST, text)
        : null;
  }

  /** What a value of a request is refused with by those who take it. */
  static <T> T checked(String field, Supplier<T> work) {
    try {
      return work.get();
    } catch (IllegalArgumentException | ArithmeticException | ConfigurationException e) {
      throw Problem.field(field, String.valueOf(e.getMessage()));
    }
  }
}
