package com.wookler.river.rest.client;

import java.time.Duration;

/**
 * An error response of a server.
 *
 * @param problem describes the error
 * @param server address of the server
 * @param retryAfter when to retry; zero if the server does not say
 * @param mayBeDone whether the request may have been carried out nevertheless
 */
record ErrorResponse(Problem problem, String server, Duration retryAfter, boolean mayBeDone) {
  String text() {
    StringBuilder text = new StringBuilder(problem.title());
    if (problem.detail() != null) {
      text.append(": ").append(problem.detail());
    }
    if (problem.field() != null) {
      text.append(" (").append(problem.field()).append(')');
    }
    text.append(" [").append(problem.status()).append(" from ").append(server);
    if (problem.requestId() != null) {
      text.append(", request ").append(problem.requestId());
    }
    return text.append(']').toString();
  }
}
