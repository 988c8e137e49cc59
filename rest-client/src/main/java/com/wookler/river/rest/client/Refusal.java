package com.wookler.river.rest.client;

import java.time.Duration;

/**
 * An answer that says no.
 *
 * @param problem why
 * @param server who says so
 * @param retryAfter when to come again; zero if it does not say
 * @param mayBeDone whether the request may have been carried out all the same
 */
record Refusal(Problem problem, String server, Duration retryAfter, boolean mayBeDone) {
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
