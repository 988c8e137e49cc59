package com.wookler.river.rest.server;

/** What a key may do. */
enum Right {
  /** Nothing is needed: health and the contract. */
  NONE,
  /** Publish messages. */
  PUBLISH,
  /** Take messages, settle them, look at them and at figures. */
  CONSUME,
  /** Make, change and remove queues and subscribers. */
  ADMIN
}
