package com.wookler.river.rest.client;

import java.util.List;

/**
 * The result of publishing a batch: all of it is stored.
 *
 * @param first sequence of its first message; the others follow, except for duplicates
 * @param count number of messages in the batch
 * @param duplicates the messages whose id was known already, or occurs earlier in the batch
 */
public record PublishedBatch(long first, int count, List<Duplicate> duplicates) {
  /** Copies the list. */
  public PublishedBatch {
    duplicates =
        duplicates == null ? List.of() : List.copyOf(duplicates); // older servers send none
  }

  /**
   * A message that was not stored because of its id.
   *
   * @param index its index in the batch, from 0
   * @param sequence sequence of the first message with its id
   */
  public record Duplicate(int index, long sequence) {}
}
