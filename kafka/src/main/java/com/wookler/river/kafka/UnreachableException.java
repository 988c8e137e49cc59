package com.wookler.river.kafka;

import com.wookler.river.common.errors.RiverException;

/** No broker accepts a connection, or it does not have the topic. */
final class UnreachableException extends RiverException {
  private static final long serialVersionUID = 1;

  UnreachableException(String message) {
    super(message);
  }
}
