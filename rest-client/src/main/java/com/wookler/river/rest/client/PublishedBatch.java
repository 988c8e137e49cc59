package com.wookler.river.rest.client;

import java.util.List;

/**
 * What became of a batch: all of it is stored.
 *
 * @param first sequence of its first message; the others follow, but for those whose id was known
 * @param count how many messages it has
 * @param duplicates those whose id was known, also by another of the batch before it
 */
public record PublishedBatch(long first, int count, List<Duplicate> duplicates) {
  /** Keeps a copy. */
  public PublishedBatch {
    duplicates = duplicates == null ? List.of() : List.copyOf(duplicates); // of an older server
  }

  /**
   * A message that was not stored again.
   *
   * @param index its place in the batch, counted from 0
   * @param sequence where the first one with its id stands
   */
  public record Duplicate(int index, long sequence) {}
}
