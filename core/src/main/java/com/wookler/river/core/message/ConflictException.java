package com.wookler.river.core.message;

import com.wookler.river.common.errors.RiverException;
import java.util.OptionalLong;

/** Something was published before what was to be published on a condition; nothing was stored. */
public final class ConflictException extends RiverException {
  private static final long serialVersionUID = 1L;

  private final long actual;

  /**
   * Creates a conflict.
   *
   * @param actual what is there instead, see {@link #actual}; negative: nothing
   */
  public ConflictException(String message, long actual) {
    super(message);
    this.actual = actual;
  }

  /**
   * Returns the queue's next sequence, or, if the condition named a key, the place of that key's
   * last message, empty if it has none.
   */
  public OptionalLong actual() {
    return actual < 0 ? OptionalLong.empty() : OptionalLong.of(actual);
  }
}
