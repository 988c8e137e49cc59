package com.wookler.river.core;

/** What {@link MessageQueue#cancel} could still do. */
public enum CancelResult {
  /** No subscriber gets the message any more that has not completed it. */
  CANCELLED,

  /**
   * A consumer has the message now, or perhaps had it: there is at most this delivery, which its
   * acknowledgement ends as usual, and no further one.
   */
  IN_FLIGHT,

  /** There is no such message, or all subscribers have completed it; nothing has changed. */
  NOT_WAITING
}
