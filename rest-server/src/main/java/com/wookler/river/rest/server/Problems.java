package com.wookler.river.rest.server;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.message.DamagedMessageException;
import com.wookler.river.core.message.MessageTooLargeException;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.core.message.QueueFailedException;
import com.wookler.river.core.message.QueueFullException;
import io.vertx.ext.web.handler.HttpException;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What to answer when something is thrown. */
final class Problems {
  private static final Logger LOG = LoggerFactory.getLogger(Problems.class);
  private static final int FULL_SECONDS = 1;
  private static final int UNAVAILABLE_SECONDS = 5;

  private Problems() {}

  /** The problem that an exception means to who asked. */
  static Problem of(Throwable thrown) {
    Throwable cause = cause(thrown);
    if (cause instanceof Problem problem) {
      return problem;
    }
    if (cause instanceof HttpException http) {
      return ofStatus(http.getStatusCode());
    }
    return cause instanceof RiverException ours ? of(ours) : unexpected(cause);
  }

  /** What a future failed with. */
  static Throwable cause(Throwable thrown) {
    return thrown instanceof CompletionException && thrown.getCause() != null
        ? thrown.getCause()
        : thrown;
  }

  private static Problem of(RiverException thrown) {
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
    if (thrown instanceof ConfigurationException) {
      return Problem.of(Problem.Kind.BAD_REQUEST, text);
    }
    return unexpected(thrown);
  }

  /** What Vert.x refuses by itself. */
  private static Problem ofStatus(int status) {
    for (Problem.Kind kind : Problem.Kind.values()) {
      if (kind.status() == status) {
        return Problem.of(kind, kind.title());
      }
    }
    return Problem.of(Problem.Kind.BAD_REQUEST, "HTTP status " + status);
  }

  private static Problem unexpected(Throwable cause) {
    LOG.error("A request failed", cause);
    return Problem.of(Problem.Kind.INTERNAL, "see the server's log");
  }
}
