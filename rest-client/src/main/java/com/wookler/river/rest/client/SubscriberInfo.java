package com.wookler.river.rest.client;

import org.jspecify.annotations.Nullable;

/**
 * Describes a subscriber of a queue.
 *
 * @param name its name
 * @param queue name of its queue
 * @param settings its current settings, without {@code start}, which applies to new subscribers
 *     only
 * @param stats its current statistics
 * @param lease who an exclusive one delivers to; null if no owner has a lease
 */
public record SubscriberInfo(
    String name,
    String queue,
    SubscriberSettings settings,
    SubscriberStats stats,
    @Nullable Lease lease) {
  /**
   * Who an exclusive subscriber delivers to.
   *
   * @param owner its name
   * @param leftMillis how long it has the lease, unless it polls or acknowledges meanwhile
   */
  public record Lease(String owner, long leftMillis) {}
}
