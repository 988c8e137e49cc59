package com.wookler.river.rest.client;

/** The result of an acknowledgement by receipt. */
public enum AckResult {
  /** The acknowledgement took effect, now or earlier. */
  OK,
  /**
   * The receipt is stale, and nothing changed: the message was delivered again, or completed
   * otherwise.
   */
  STALE,
  /** The subscriber has never issued this receipt. */
  UNKNOWN
}
