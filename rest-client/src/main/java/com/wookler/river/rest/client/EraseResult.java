package com.wookler.river.rest.client;

import java.util.Set;

/**
 * What {@link RemoteQueue#erase(java.util.Collection, java.time.Duration)} has done.
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
