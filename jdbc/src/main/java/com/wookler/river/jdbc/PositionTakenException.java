package com.wookler.river.jdbc;

import com.wookler.river.common.errors.RiverException;

/**
 * Another instance has claimed the position since: the caller does not transfer messages any more,
 * and must roll its transaction back.
 */
public final class PositionTakenException extends RiverException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception with its message. */
  public PositionTakenException(String message) {
    super(message);
  }
}
