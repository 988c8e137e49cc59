package com.wookler.river.rest.server.hosting;

import java.util.Locale;

/** The rights of a key. */
public enum Right {
  /** No right is needed: health and the contract. */
  NONE,

  /** Publish messages. */
  PUBLISH,

  /** Consume, acknowledge and read messages, and read metrics. */
  CONSUME,

  /** Read metrics. */
  METRICS,

  /** Create, change and delete queues and subscribers, and all other rights. */
  ADMIN;

  /** Returns the name in keys and the contract. */
  public String verb() {
    return name().toLowerCase(Locale.ROOT);
  }
}
