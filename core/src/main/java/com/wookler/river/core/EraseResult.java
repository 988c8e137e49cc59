package com.wookler.river.core;

import java.util.Set;

/**
 * What {@link MessageQueue#tryErase} has done.
 *
 * @param bytes of the messages that were overwritten, in all places
 * @param erased the sequences of which there was something; the others were never published, were
 *     erased before, or have left log and backups
 */
public record EraseResult(long bytes, Set<Long> erased) {
  public EraseResult {
    erased = Set.copyOf(erased);
  }
}
