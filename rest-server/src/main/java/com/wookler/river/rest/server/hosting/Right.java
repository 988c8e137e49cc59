package com.wookler.river.rest.server.hosting;

import java.util.Locale;

/** What a key may do. */
public enum Right {
  /** Nothing is needed: health and the contract. */
  NONE,

  /** Publish messages. */
  PUBLISH,

  /** Take messages, settle them, look at them, and read figures. */
  CONSUME,

  /** Read figures. */
  METRICS,

  /** Make, change and remove queues and subscribers, and all the others. */
  ADMIN;

  /** As keys and the contract write it. */
  public String verb() {
    return name().toLowerCase(Locale.ROOT);
  }
}
