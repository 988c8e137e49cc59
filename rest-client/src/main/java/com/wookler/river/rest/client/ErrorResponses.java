package com.wookler.river.rest.client;

import java.net.http.HttpHeaders;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Converts error responses to exceptions. */
final class ErrorResponses {
  private static final String TYPE = "urn:river:problem:";
  private static final int LONGEST_QUOTE = 200;

  private ErrorResponses() {}

  static RiverClientException toException(HttpResponse<byte[]> response, String server) {
    return toException(response.statusCode(), response.headers(), response.body(), server);
  }

  static RiverClientException toException(
      int status, HttpHeaders headers, byte[] body, String server) {
    Duration retryAfter = retryAfter(headers);
    Problem problem = problem(status, headers, body);
    if (problem == null) {
      return exceptionForForeignAnswer(status, body, server, retryAfter);
    }
    String kind =
        problem.type().startsWith(TYPE) ? problem.type().substring(TYPE.length()) : "unknown";
    ErrorResponse error = new ErrorResponse(problem, server, retryAfter, false);
    return switch (kind) {
      case "bad-request" -> new BadRequestException(error);
      case "unauthorized" -> new UnauthorizedException(error);
      case "forbidden" -> new ForbiddenException(error);
      case "not-found" -> new NotFoundException(error);
      case "conflict" -> new ConflictException(error);
      case "precondition-failed" -> new PreconditionFailedException(error);
      case "too-large", "uri-too-long", "headers-too-large" -> new TooLargeException(error);
      case "queue-full" -> new QueueFullException(error);
      case "too-many-requests" -> new TooManyRequestsException(error);
      case "unavailable", "timeout" -> new UnavailableException(error);
      case "status" -> new QueueStatusException(error);
      case "damaged" -> new DamagedMessageException(error);
      case "method-not-allowed", "not-acceptable", "unsupported-media-type", "misdirected" ->
          new IncompatibleServerException(error);
      case "queue-failed" ->
          new QueueFailedException(new ErrorResponse(problem, server, retryAfter, true));
      default ->
          exceptionForStatus(
              new ErrorResponse(problem, server, retryAfter, problem.status() >= 500));
    };
  }

  /** Returns the exception for a type of problem that this version does not know. */
  private static RiverClientException exceptionForStatus(ErrorResponse error) {
    return switch (error.problem().status()) {
      case 401 -> new UnauthorizedException(error);
      case 403 -> new ForbiddenException(error);
      case 404, 410 -> new NotFoundException(error);
      case 408 -> new UnavailableException(error);
      case 409 -> new ConflictException(error);
      case 412 -> new PreconditionFailedException(error);
      case 413, 414, 431 -> new TooLargeException(error);
      case 429 -> new TooManyRequestsException(error);
      default ->
          error.problem().status() >= 500
              ? new ServerFailedException(error)
              : new BadRequestException(error);
    };
  }

  /** Returns the exception for a response without a problem document, as of a proxy. */
  private static RiverClientException exceptionForForeignAnswer(
      int status, byte[] body, String server, Duration retryAfter) {
    String quote = new String(body, StandardCharsets.UTF_8).strip();
    Problem problem =
        new Problem(
            "about:blank",
            "HTTP status " + status,
            status,
            quote.length() > LONGEST_QUOTE ? quote.substring(0, LONGEST_QUOTE) + "…" : quote,
            null,
            null,
            null);
    ErrorResponse error = new ErrorResponse(problem, server, retryAfter, status >= 500);
    return status < 400 ? new IncompatibleServerException(error) : exceptionForStatus(error);
  }

  private static @Nullable Problem problem(int status, HttpHeaders headers, byte[] body) {
    String type = headers.firstValue("Content-Type").orElse("");
    if (!type.startsWith("application/problem+json")) {
      return null;
    }
    try {
      Problem read = JsonCodec.read(body, Problem.class);
      return read.type() == null
          ? null
          : new Problem(
              read.type(),
              read.title() == null ? read.type() : read.title(),
              status,
              read.detail(),
              read.field(),
              read.actual(),
              read.requestId());
    } catch (IllegalArgumentException e) {
      return null; // not a problem document; the exception shows its text
    }
  }

  /** Returns the time in the header, in seconds. A date, which River does not send, is ignored. */
  private static Duration retryAfter(HttpHeaders headers) {
    String text = headers.firstValue("Retry-After").orElse("").trim();
    return text.matches("[0-9]{1,9}") ? Duration.ofSeconds(Long.parseLong(text)) : Duration.ZERO;
  }
}
