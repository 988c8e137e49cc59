package com.wookler.river.rest.client;

import java.util.List;

/**
 * The dead letters of a subscriber. The headers that begin with {@code river.dead.} say where a
 * message comes from, and why it was dead-lettered.
 *
 * @param size how many there are
 * @param messages the oldest dead letters
 */
public record DeadLetters(long size, List<StoredMessage> messages) {
  /** Copies the list. */
  public DeadLetters {
    messages = List.copyOf(messages);
  }
}
