package com.wookler.river.rest.client;

import java.util.OptionalLong;

/** Thrown when a queue does not hold what a publish expected (412). Nothing was stored. */
public final class PreconditionFailedException extends RiverClientException {
  private static final long serialVersionUID = 1;

  PreconditionFailedException(ErrorResponse error) {
    super(error);
  }

  /**
   * Returns the next sequence of the queue, or, if the condition named a key, the place of that
   * key's last message, empty if it has none.
   */
  public OptionalLong actual() {
    Problem problem = problem();
    return problem == null || problem.actual() == null
        ? OptionalLong.empty()
        : OptionalLong.of(problem.actual());
  }
}
