package com.wookler.river.core.subscriber;

/** The result of an acknowledgement by receipt. */
public enum Settled {
  /** It took effect, now or when it was made before. */
  OK,

  /**
   * The receipt is void, and nothing changed: the message was delivered again, given back or
   * completed otherwise, or the subscriber was moved or opened anew.
   */
  STALE,

  /** This subscriber has never given out such a receipt. */
  UNKNOWN
}
