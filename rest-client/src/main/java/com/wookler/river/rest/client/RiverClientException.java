package com.wookler.river.rest.client;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The base of all exceptions of a {@link RiverClient}, except those for invalid arguments. Each
 * kind of error has its own class.
 */
public class RiverClientException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final @Nullable Problem problem;
  private final Duration retryAfter;
  private final boolean mayBeDone;

  RiverClientException(String message, @Nullable Throwable cause, boolean mayBeDone) {
    super(message, cause);
    this.problem = null;
    this.retryAfter = Duration.ZERO;
    this.mayBeDone = mayBeDone;
  }

  RiverClientException(ErrorResponse error) {
    super(error.text());
    this.problem = error.problem();
    this.retryAfter = error.retryAfter();
    this.mayBeDone = error.mayBeDone();
  }

  /**
   * Returns the problem document of the server; null if the error is not a response of the server.
   */
  public final @Nullable Problem problem() {
    return problem;
  }

  /** Returns the HTTP status; 0 if there was no response. */
  public final int status() {
    return problem == null ? 0 : problem.status();
  }

  /**
   * Returns the stable name of the problem, such as {@code urn:river:problem:queue-full}, or null.
   */
  public final @Nullable String type() {
    return problem == null ? null : problem.type();
  }

  /** Returns what was wrong, or null. */
  public final @Nullable String detail() {
    return problem == null ? null : problem.detail();
  }

  /** Returns the part of the request that is wrong, or null. */
  public final @Nullable String field() {
    return problem == null ? null : problem.field();
  }

  /** Returns the id of the request in the server's log, or null. */
  public final @Nullable String requestId() {
    return problem == null ? null : problem.requestId();
  }

  /** Returns after which time to retry; zero if the server does not say. */
  public final Duration retryAfter() {
    return retryAfter;
  }

  /**
   * Returns whether the request may have been carried out nevertheless. If so, publish the same
   * message with the same id again, within the queue's deduplication window: it is stored once.
   */
  public final boolean mayBeDone() {
    return mayBeDone;
  }
}
