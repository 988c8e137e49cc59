package com.wookler.river.rest.client;

/** What became of a decision by receipt. */
public enum Settled {
  /** It took effect, now or when it was made before. */
  OK,
  /**
   * The receipt is void, and nothing changed: the message came again, or was finished otherwise.
   */
  STALE,
  /** The subscriber has never given out such a receipt. */
  UNKNOWN
}
