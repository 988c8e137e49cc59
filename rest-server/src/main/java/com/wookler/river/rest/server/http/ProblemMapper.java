package com.wookler.river.rest.server.http;

import com.wookler.river.rest.server.hosting.RequestException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Maps exceptions to problems. */
final class ProblemMapper {
  private static final Logger LOG = LoggerFactory.getLogger(ProblemMapper.class);

  private ProblemMapper() {}

  /**
   * Returns the problem for an exception, and logs it if it is unexpected.
   *
   * @param request id of the request, for the log
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
