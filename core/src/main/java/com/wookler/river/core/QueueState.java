package com.wookler.river.core;

/** The life of a {@link MessageQueue}. */
public enum QueueState {
  /** Made, perhaps configured; owns nothing yet. */
  NEW,
  /** Opening its directory and recovering. */
  STARTING,
  /** Takes and delivers messages. */
  RUNNING,
  /** Its log failed: no publish succeeds, reads and acknowledgements continue where they can. */
  FAILED,
  /** Closing; waits for the calls under way. */
  STOPPING,
  /** Closed, for good. */
  STOPPED;

  boolean mayBecome(QueueState next) {
    return switch (this) {
      case NEW -> next == STARTING || next == STOPPED;
      case STARTING -> next == RUNNING || next == NEW;
      case RUNNING -> next == STOPPING;
      case STOPPING -> next == STOPPED;
      case FAILED, STOPPED -> false; // a running queue shows FAILED, see QueueLifecycle.state
    };
  }
}
