package com.wookler.river.core.jdbc;

import com.wookler.river.common.errors.RiverException;

/**
 * Somebody else has claimed the position since: whoever gets this is no longer the one who hands
 * messages over, and has to roll its transaction back.
 */
public final class PositionTakenException extends RiverException {
  private static final long serialVersionUID = 1L;

  /** With what happened. */
  public PositionTakenException(String message) {
    super(message);
  }
}
