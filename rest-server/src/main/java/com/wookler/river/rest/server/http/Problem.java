package com.wookler.river.rest.server.http;

import com.wookler.river.rest.server.hosting.RequestException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Why a request was not done: a problem document (RFC 9457) that is thrown.
 *
 * <p>{@code type} is {@code urn:river:problem:} and the kind's name, and stable: clients decide by
 * it. Without a stack trace, because it is an answer.
 */
public final class Problem extends RuntimeException {
  private static final long serialVersionUID = 1;
  static final String TYPE = "urn:river:problem:";

  /** What goes wrong, each with its status. */
  public enum Kind {
    BAD_REQUEST(400, "The request is wrong"),
    UNAUTHORIZED(401, "A valid API key is needed"),
    FORBIDDEN(403, "This key may not do that"),
    NOT_FOUND(404, "There is no such thing"),
    METHOD_NOT_ALLOWED(405, "The path has no such method"),
    NOT_ACCEPTABLE(406, "None of these media types can be sent"),
    TIMEOUT(408, "The request came too slowly"),
    CONFLICT(409, "It does not fit what is there"),
    TOO_LARGE(413, "The request is too large"),
    MISDIRECTED(421, "This server is not known by that name"),
    URI_TOO_LONG(414, "The path and query are too long"),
    UNSUPPORTED_MEDIA_TYPE(415, "This media type is not taken here"),
    QUEUE_FULL(429, "The queue is full"),
    TOO_MANY_REQUESTS(429, "Too much is under way"),
    HEADERS_TOO_LARGE(431, "The headers are too large"),
    INTERNAL(500, "River has failed"),
    QUEUE_FAILED(503, "The queue has failed"),
    DAMAGED(503, "The message is damaged"),
    UNAVAILABLE(503, "Not now");

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

    /** As it stands in the type. */
    public String text() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  private final Kind kind;
  private final @Nullable String field;
  private final @Nullable String allowed;
  private final int retryAfterSeconds;

  private Problem(
      Kind kind,
      String detail,
      @Nullable String field,
      @Nullable String allowed,
      int retryAfterSeconds) {
    super(detail, null, false, false);
    this.kind = kind;
    this.field = field;
    this.allowed = allowed;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  /** Returns the problem that tells an exception's reason, which is the name of its kind. */
  static Problem of(RequestException thrown) {
    return new Problem(
        Kind.valueOf(thrown.reason().name()),
        thrown.detail(),
        thrown.field(),
        null,
        thrown.retryAfterSeconds());
  }

  static Problem of(Kind kind, String detail) {
    return new Problem(kind, detail, null, null, 0);
  }

  /** The path has these methods only. */
  static Problem notAllowed(String methods) {
    return new Problem(Kind.METHOD_NOT_ALLOWED, "there are " + methods, null, methods, 0);
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

  /** The methods that the path has, where it lacks the one that was asked. */
  @Nullable String allowed() {
    return allowed;
  }

  /** 0: it does not say. */
  int retryAfterSeconds() {
    return retryAfterSeconds;
  }
}
