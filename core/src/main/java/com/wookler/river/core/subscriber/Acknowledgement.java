package com.wookler.river.core.subscriber;

enum Acknowledgement {
  NONE,
  ACKED,
  NACKED,
  RELEASED,
  REJECTED,
  CONTINUING, // and acknowledged once what continues it is published
  CONTINUED;

  /** Returns whether it completes a message for good. */
  boolean isAck() {
    return this == ACKED || this == CONTINUED;
  }
}
