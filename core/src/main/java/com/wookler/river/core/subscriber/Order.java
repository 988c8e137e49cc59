package com.wookler.river.core.subscriber;

/** In which order a subscriber's messages are handed over; fixed when it is created. */
public enum Order {
  /** In the order of their sequences; what is delivered again comes first. */
  SEQUENCE,

  /**
   * At most one message of a key at a time, later ones of it after it. Not built yet: a subscriber
   * that asks for it is refused.
   */
  KEY
}
