package com.wookler.river.rest.client;

/** What cancelling a message could still do. */
public enum CancelResult {
  /** No subscriber gets the message any more that has not completed it. */
  CANCELLED,

  /** A consumer has the message now, or perhaps had it; it is not delivered again. */
  IN_FLIGHT,

  /** There is no such message, or all subscribers have completed it; nothing has changed. */
  NOT_WAITING
}
