package com.wookler.river.ack;

/** The result of a consumer's acknowledgement of one delivery. */
public enum AckResult {
  /** The acknowledgement took effect. */
  DONE,

  /** This very receipt had completed the message before; nothing changed, and nothing is wrong. */
  REPEATED,

  /**
   * The receipt is void and nothing changed: a newer one exists, it was given back, the message was
   * completed by another receipt, the subscriber was moved or reopened, or the message is no longer
   * known.
   */
  STALE
}
