package com.wookler.river.core.message;

import com.wookler.river.common.errors.RiverException;

/**
 * Bytes on disk are not what was published: a checksum, a length or a sequence is wrong. Never
 * delivered, never skipped without a word.
 */
public final class DamagedMessageException extends RiverException {
  private static final long serialVersionUID = 1L;

  /** With a text that names the queue and what to do. */
  public DamagedMessageException(String message) {
    super(message);
  }

  /** With a text that names the queue and what to do, and the error that led here. */
  public DamagedMessageException(String message, Throwable cause) {
    super(message, cause);
  }
}
