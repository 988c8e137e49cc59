package com.wookler.river.rest.server.hosting;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.errors.DamagedException;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.message.ConflictException;
import com.wookler.river.core.message.MessageTooLargeException;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.core.message.QueueFailedException;
import com.wookler.river.core.message.QueueFullException;
import com.wookler.river.core.message.QueueLockedException;
import com.wookler.river.core.message.QueueStatusException;
import java.util.OptionalLong;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when a request cannot be carried out, independently of its protocol, which maps the reason
 * to a response. It has no stack trace, because it describes a response.
 */
public final class RequestException extends RuntimeException {
  private static final long serialVersionUID = 1;
  private static final int FULL_SECONDS = 1;
  private static final int UNAVAILABLE_SECONDS = 5;

  /** What the text of a {@link QueueFullException} has for which there will never be space. */
  private static final String NEVER_FITS = "can never fit";

  /** The reason, on which the client's reaction depends. */
  public enum Reason {
    /** The request, or the named field of it, is invalid. */
    BAD_REQUEST,
    /** The caller is unknown. */
    UNAUTHORIZED,
    /** The caller does not have the right. */
    FORBIDDEN,
    /** There is no such queue, subscriber or message. */
    NOT_FOUND,
    /** The request conflicts with the current state. */
    CONFLICT,
    /** The queue does not hold what the request expects. */
    PRECONDITION_FAILED,
    /** The message or batch is larger than the queue accepts. */
    TOO_LARGE,
    /** The caller disconnected, or the request arrived too slowly. */
    TIMEOUT,
    /** The queue is full. */
    QUEUE_FULL,
    /** Too many requests are in progress. */
    TOO_MANY_REQUESTS,
    /** The queue's status does not allow it; that lasts until an operator sets another one. */
    STATUS,
    /** The queue has failed. */
    QUEUE_FAILED,
    /** The message is damaged. */
    DAMAGED,
    /** The server cannot carry the request out now; the client may retry soon. */
    UNAVAILABLE
  }

  private final Reason reason;
  private final @Nullable String field;
  private final int retryAfterSeconds;
  private final @Nullable Long actual;

  private RequestException(
      Reason reason, String detail, @Nullable String field, int retryAfterSeconds) {
    this(reason, detail, field, retryAfterSeconds, null);
  }

  private RequestException(
      Reason reason,
      String detail,
      @Nullable String field,
      int retryAfterSeconds,
      @Nullable Long actual) {
    super(detail, null, false, false);
    this.reason = reason;
    this.field = field;
    this.retryAfterSeconds = retryAfterSeconds;
    this.actual = actual;
  }

  public static RequestException of(Reason reason, String detail) {
    return new RequestException(reason, detail, null, 0);
  }

  /** Creates the exception for an invalid field, header or parameter of the request. */
  public static RequestException field(String field, String detail) {
    return new RequestException(Reason.BAD_REQUEST, detail, field, 0);
  }

  /** Creates the exception for a request that may be retried after a number of seconds. */
  public static RequestException later(Reason reason, String detail, int seconds) {
    return new RequestException(reason, detail, null, seconds);
  }

  /**
   * Returns the exception that corresponds to an exception of a queue; null if that is unexpected.
   */
  public static @Nullable RequestException of(Throwable thrown) {
    if (thrown instanceof RequestException known) {
      return known;
    }
    String text = String.valueOf(thrown.getMessage());
    if (thrown instanceof QueueFullException && text.contains(NEVER_FITS)) {
      return of(Reason.TOO_LARGE, text);
    }
    if (thrown instanceof QueueFullException) {
      return later(Reason.QUEUE_FULL, text, FULL_SECONDS);
    }
    if (thrown instanceof ConflictException conflict) {
      OptionalLong actual = conflict.actual();
      return new RequestException(
          Reason.PRECONDITION_FAILED,
          text,
          null,
          0,
          actual.isPresent() ? actual.getAsLong() : null);
    }
    if (thrown instanceof QueueClosedException) {
      return later(Reason.UNAVAILABLE, text, UNAVAILABLE_SECONDS);
    }
    Reason reason = thrown instanceof RiverException known ? reason(known) : null;
    if (reason == Reason.BAD_REQUEST) {
      return of(reason, OptionNames.withJson(text));
    }
    return reason == null ? null : of(reason, text);
  }

  private static @Nullable Reason reason(RiverException thrown) {
    if (thrown instanceof MessageTooLargeException) {
      return Reason.TOO_LARGE;
    }
    if (thrown instanceof QueueStatusException) {
      return Reason.STATUS;
    }
    if (thrown instanceof QueueFailedException) {
      return Reason.QUEUE_FAILED;
    }
    if (thrown instanceof DamagedException) {
      return Reason.DAMAGED;
    }
    if (thrown instanceof QueueLockedException) {
      return Reason.CONFLICT;
    }
    return thrown instanceof ConfigurationException ? Reason.BAD_REQUEST : null;
  }

  /** Returns the exception that a future failed with. */
  public static Throwable causeOf(Throwable thrown) {
    Throwable cause = thrown;
    while ((cause instanceof CompletionException || cause instanceof ExecutionException)
        && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause;
  }

  /**
   * Runs an operation, and reports an exception about a value as an invalid field of the request.
   */
  public static <T> T checked(String field, Supplier<T> work) {
    try {
      return work.get();
    } catch (IllegalArgumentException | ArithmeticException | ConfigurationException e) {
      throw field(field, OptionNames.withJson(e.getMessage()));
    }
  }

  /** Runs a change, and reports what cannot change as a conflict with what there is. */
  public static <T> T orConflict(Supplier<T> change) {
    try {
      return change.get();
    } catch (ConfigurationException e) {
      throw of(Reason.CONFLICT, OptionNames.withJson(e.getMessage()));
    }
  }

  public Reason reason() {
    return reason;
  }

  public String detail() {
    return String.valueOf(getMessage());
  }

  /** Returns the invalid field; null if none is named. */
  public @Nullable String field() {
    return field;
  }

  /** Returns the sequence that the queue has instead of the expected one; null without. */
  public @Nullable Long actual() {
    return actual;
  }

  /** Returns after how many seconds the request may be retried; 0 if that is not known. */
  public int retryAfterSeconds() {
    return retryAfterSeconds;
  }
}
