package com.wookler.river.rest.client;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A redrive of dead letters in the background, and how far it is.
 *
 * @param target the queue to which they are moved; null: the queue that they come from
 * @param filter which letters; null: all
 * @param state RUNNING, CANCELLING, CANCELLED or DONE
 * @param moved letters that are in the target
 * @param skipped letters that the filter refused
 * @param left letters that it has not come to
 * @param waiting why it waits; empty if it does not
 */
public record RedriveInfo(
    String id,
    String subscriber,
    @Nullable String target,
    @Nullable String filter,
    String state,
    Instant started,
    long moved,
    long skipped,
    long left,
    String waiting) {}
