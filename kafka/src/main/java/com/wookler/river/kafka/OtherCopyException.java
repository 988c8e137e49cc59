package com.wookler.river.kafka;

import com.wookler.river.common.errors.RiverException;

/** The queue is a copy that does not have the messages that Kafka has of it. */
final class OtherCopyException extends RiverException {
  private static final long serialVersionUID = 1;

  OtherCopyException(String message) {
    super(message);
  }
}
