package com.wookler.river.rest.server.http;

import com.wookler.river.rest.server.hosting.RequestException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when a request fails: a problem document (RFC 9457).
 *
 * <p>{@code type} is {@code urn:river:problem:} and the kind's name, and stable, so that clients
 * can rely on it. It has no stack trace, because it describes a response.
 */
public final class Problem extends RuntimeException {
  private static final long serialVersionUID = 1;
  static final String TYPE = "urn:river:problem:";

  /** The kinds of problems, with their status. */
  public enum Kind {
    BAD_REQUEST(400, "The request is invalid"),
    UNAUTHORIZED(401, "A valid API key is required"),
    FORBIDDEN(403, "The key does not have the right"),
    NOT_FOUND(404, "Not found"),
    METHOD_NOT_ALLOWED(405, "The path does not have this method"),
    NOT_ACCEPTABLE(406, "None of the accepted media types is available"),
    TIMEOUT(408, "The request arrived too slowly"),
    CONFLICT(409, "The request conflicts with the current state"),
    PRECONDITION_FAILED(412, "The queue does not hold what the request expects"),
    TOO_LARGE(413, "The request is too large"),
    MISDIRECTED(421, "The server does not have this name"),
    URI_TOO_LONG(414, "The path and query are too long"),
    UNSUPPORTED_MEDIA_TYPE(415, "The media type is not supported"),
    QUEUE_FULL(429, "The queue is full"),
    TOO_MANY_REQUESTS(429, "Too many requests"),
    HEADERS_TOO_LARGE(431, "The headers are too large"),
    INTERNAL(500, "Internal error"),
    STATUS(503, "The queue's status does not allow it"),
    QUEUE_FAILED(503, "The queue has failed"),
    DAMAGED(503, "The message is damaged"),
    UNAVAILABLE(503, "Temporarily unavailable");

    private final int status;
    private final String title;

    Kind(int status, String title) {
      this.status = status;
      this.title = title;
    }

    public int status() {
      return status;
    }

    String title() {
      return title;
    }

    /** Returns the last part of the type. */
    public String text() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  private final Kind kind;
  private final @Nullable String field;
  private final @Nullable String allowed;
  private final int retryAfterSeconds;
  private final @Nullable Long actual;

  private Problem(
      Kind kind,
      String detail,
      @Nullable String field,
      @Nullable String allowed,
      int retryAfterSeconds,
      @Nullable Long actual) {
    super(detail, null, false, false);
    this.kind = kind;
    this.field = field;
    this.allowed = allowed;
    this.retryAfterSeconds = retryAfterSeconds;
    this.actual = actual;
  }

  /** Returns the problem for an exception, whose reason is the name of the kind. */
  static Problem of(RequestException thrown) {
    return new Problem(
        Kind.valueOf(thrown.reason().name()),
        thrown.detail(),
        thrown.field(),
        null,
        thrown.retryAfterSeconds(),
        thrown.actual());
  }

  static Problem of(Kind kind, String detail) {
    return new Problem(kind, detail, null, null, 0, null);
  }

  /** Creates the problem for a path that has other methods only. */
  static Problem notAllowed(String methods) {
    return new Problem(Kind.METHOD_NOT_ALLOWED, "the path has " + methods, null, methods, 0, null);
  }

  Kind kind() {
    return kind;
  }

  String detail() {
    return String.valueOf(getMessage());
  }

  @Nullable String field() {
    return field;
  }

  /** Returns the sequence that the queue has instead of the expected one; null without. */
  @Nullable Long actual() {
    return actual;
  }

  /** Returns the methods of the path, if it lacks the requested one. */
  @Nullable String allowed() {
    return allowed;
  }

  /** Returns after how many seconds to retry; 0 if that is not known. */
  int retryAfterSeconds() {
    return retryAfterSeconds;
  }
}
