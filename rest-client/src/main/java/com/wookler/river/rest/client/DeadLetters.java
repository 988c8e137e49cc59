package com.wookler.river.rest.client;

import java.util.List;

/**
 * What a subscriber gave up. The headers that begin with {@code river.dead.} say where a message
 * comes from, and why it is here.
 *
 * @param size how many there are
 * @param messages the oldest ones
 */
public record DeadLetters(long size, List<StoredMessage> messages) {
  /** Copies the list. */
  public DeadLetters {
    messages = List.copyOf(messages);
  }
}
