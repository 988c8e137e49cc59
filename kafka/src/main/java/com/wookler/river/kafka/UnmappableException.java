package com.wookler.river.kafka;

import com.wookler.river.common.errors.RiverException;

/** No record can be made of a message. */
final class UnmappableException extends RiverException {
  private static final long serialVersionUID = 1;

  UnmappableException(String message) {
    super(message);
  }

  UnmappableException(String message, Throwable cause) {
    super(message, cause);
  }
}
