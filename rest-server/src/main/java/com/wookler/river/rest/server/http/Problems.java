package com.wookler.river.rest.server.http;

import com.wookler.river.rest.server.hosting.RequestException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds the answer to what is thrown. */
final class Problems {
  private static final Logger LOG = LoggerFactory.getLogger(Problems.class);

  private Problems() {}

  /**
   * Returns the problem that an exception means to the caller.
   *
   * @param request by which the log knows what is unexpected
   */
  static Problem of(Throwable thrown, String request) {
    Throwable cause = RequestException.causeOf(thrown);
    if (cause instanceof Problem problem) {
      return problem;
    }
    RequestException known = RequestException.of(cause);
    if (known == null) {
      LOG.error("Request {} failed", request, cause);
      return Problem.of(Problem.Kind.INTERNAL, "see the server's log");
    }
    return Problem.of(known);
  }
}
