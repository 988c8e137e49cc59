package com.wookler.river.jdbc;

import java.util.ArrayList;
import java.util.List;

/**
 * The messages that one queue has claimed from an outbox, in the order in which they are moved.
 *
 * <p>It is stored before the first of them is published and replaced after the last is on the
 * device, so that it says after a kill which position each message has.
 *
 * @param origin name of the queue's origin for these positions
 * @param next the position after those of the claimed messages
 * @param ids of the claimed messages, ascending
 */
record OutboxClaim(String origin, long next, List<Long> ids) {
  OutboxClaim {
    ids = List.copyOf(ids);
  }

  /** Reads what {@link #text} has written. */
  static OutboxClaim of(String origin, long next, String text) {
    List<Long> ids = new ArrayList<>();
    long id = 0;
    for (String step : text.isEmpty() ? new String[0] : text.split(",")) {
      id += Long.parseLong(step);
      ids.add(id);
    }
    return new OutboxClaim(origin, next, ids);
  }

  /** Returns the ids, each as its distance from the one before it. */
  String text() {
    StringBuilder text = new StringBuilder();
    long last = 0;
    for (long id : ids) {
      text.append(text.length() == 0 ? "" : ",").append(id - last);
      last = id;
    }
    return text.toString();
  }

  /** Returns the claim that follows this one. */
  OutboxClaim then(List<Long> following) {
    return new OutboxClaim(origin, next + following.size(), following);
  }

  /** Returns the position of the message at an index. */
  long position(int index) {
    return next - ids.size() + index;
  }
}
