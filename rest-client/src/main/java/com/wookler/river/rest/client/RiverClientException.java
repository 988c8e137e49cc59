package com.wookler.river.rest.client;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Base of all that {@link RiverClient} throws, but for arguments that are wrong. Each kind of
 * problem has a class of its own.
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

  RiverClientException(Refusal refusal) {
    super(refusal.text());
    this.problem = refusal.problem();
    this.retryAfter = refusal.retryAfter();
    this.mayBeDone = refusal.mayBeDone();
  }

  /** The server's own words; null if it is not the server that refused. */
  public final @Nullable Problem problem() {
    return problem;
  }

  /** Status of HTTP; 0 if there was no answer. */
  public final int status() {
    return problem == null ? 0 : problem.status();
  }

  /** Stable name of the problem, such as {@code urn:river:problem:queue-full}, or null. */
  public final @Nullable String type() {
    return problem == null ? null : problem.type();
  }

  /** What was wrong, or null. */
  public final @Nullable String detail() {
    return problem == null ? null : problem.detail();
  }

  /** What of the request is wrong, or null. */
  public final @Nullable String field() {
    return problem == null ? null : problem.field();
  }

  /** By which the server's log knows the request, or null. */
  public final @Nullable String requestId() {
    return problem == null ? null : problem.requestId();
  }

  /** When the server wants to be asked again; zero if it does not say. */
  public final Duration retryAfter() {
    return retryAfter;
  }

  /**
   * Whether it may have been done all the same. Publishing the same message with the same id again,
   * within the queue's window, settles it.
   */
  public final boolean mayBeDone() {
    return mayBeDone;
  }
}
