package com.wookler.river.rest.client;

import java.net.http.HttpHeaders;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Turns an answer that says no into the exception that says it. */
final class Problems {
  private static final String TYPE = "urn:river:problem:";
  private static final int LONGEST_QUOTE = 200;

  private Problems() {}

  static RiverClientException of(HttpResponse<byte[]> response, String server) {
    return of(response.statusCode(), response.headers(), response.body(), server);
  }

  static RiverClientException of(int status, HttpHeaders headers, byte[] body, String server) {
    Duration retryAfter = retryAfter(headers);
    Problem problem = problem(status, headers, body);
    if (problem == null) {
      return foreign(status, body, server, retryAfter);
    }
    String kind =
        problem.type().startsWith(TYPE) ? problem.type().substring(TYPE.length()) : "unknown";
    Refusal no = new Refusal(problem, server, retryAfter, false);
    return switch (kind) {
      case "bad-request" -> new BadRequestException(no);
      case "unauthorized" -> new UnauthorizedException(no);
      case "forbidden" -> new ForbiddenException(no);
      case "not-found" -> new NotFoundException(no);
      case "conflict" -> new ConflictException(no);
      case "too-large", "uri-too-long", "headers-too-large" -> new TooLargeException(no);
      case "queue-full" -> new QueueFullException(no);
      case "too-many-requests" -> new TooManyRequestsException(no);
      case "unavailable", "timeout" -> new UnavailableException(no);
      case "damaged" -> new DamagedMessageException(no);
      case "method-not-allowed", "not-acceptable", "unsupported-media-type" ->
          new IncompatibleServerException(no);
      case "queue-failed" ->
          new QueueFailedException(new Refusal(problem, server, retryAfter, true));
      default -> byStatus(new Refusal(problem, server, retryAfter, problem.status() >= 500));
    };
  }

  /** A kind that this version does not know. */
  private static RiverClientException byStatus(Refusal no) {
    return switch (no.problem().status()) {
      case 401 -> new UnauthorizedException(no);
      case 403 -> new ForbiddenException(no);
      case 404, 410 -> new NotFoundException(no);
      case 408 -> new UnavailableException(no);
      case 409 -> new ConflictException(no);
      case 413, 414, 431 -> new TooLargeException(no);
      case 429 -> new TooManyRequestsException(no);
      default ->
          no.problem().status() >= 500
              ? new ServerFailedException(no)
              : new BadRequestException(no);
    };
  }

  /** No problem document: something else than River answers, in front of it perhaps. */
  private static RiverClientException foreign(
      int status, byte[] body, String server, Duration retryAfter) {
    String quote = new String(body, StandardCharsets.UTF_8).strip();
    Problem problem =
        new Problem(
            "about:blank",
            "HTTP status " + status,
            status,
            quote.length() > LONGEST_QUOTE ? quote.substring(0, LONGEST_QUOTE) + "…" : quote,
            null,
            null);
    Refusal no = new Refusal(problem, server, retryAfter, status >= 500);
    return status < 400 ? new IncompatibleServerException(no) : byStatus(no);
  }

  private static @Nullable Problem problem(int status, HttpHeaders headers, byte[] body) {
    String type = headers.firstValue("Content-Type").orElse("");
    if (!type.startsWith("application/problem+json")) {
      return null;
    }
    try {
      Problem read = Wire.read(body, Problem.class);
      return read.type() == null
          ? null
          : new Problem(
              read.type(),
              read.title() == null ? read.type() : read.title(),
              status,
              read.detail(),
              read.field(),
              read.requestId());
    } catch (IllegalArgumentException e) {
      return null; // a document that is none; its text is shown
    }
  }

  /** In seconds; a date is not used by River, and is passed over. */
  private static Duration retryAfter(HttpHeaders headers) {
    String text = headers.firstValue("Retry-After").orElse("").trim();
    return text.matches("[0-9]{1,9}") ? Duration.ofSeconds(Long.parseLong(text)) : Duration.ZERO;
  }
}
