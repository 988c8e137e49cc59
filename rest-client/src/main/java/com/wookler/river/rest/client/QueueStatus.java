package com.wookler.river.rest.client;

/** Says what a queue accepts and delivers, as its operator has set it. */
public enum QueueStatus {
  /** Everything. */
  UP,
  /** No publishes; it delivers what it holds. */
  READ_ONLY,
  /** No publishes, and no deliveries; what is in flight can be acknowledged. */
  QUIESCENT,
  /** No publishes, no deliveries and no acknowledgements. */
  DOWN
}
