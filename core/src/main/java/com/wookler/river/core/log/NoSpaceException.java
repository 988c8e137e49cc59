package com.wookler.river.core.log;

import java.io.IOException;

/** There is no space for a block, or none but the reserve; what was to be written may be half. */
final class NoSpaceException extends IOException {
  private static final long serialVersionUID = 1L;

  NoSpaceException(String message) {
    super(message);
  }

  NoSpaceException(String message, Throwable cause) {
    super(message, cause);
  }
}
