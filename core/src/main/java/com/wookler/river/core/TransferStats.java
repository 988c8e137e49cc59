package com.wookler.river.core;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How a {@link Transfer} is, taken at one moment.
 *
 * @param kind what it is: {@code QUEUE}, a forward to another queue, or what its module calls it,
 *     as {@code KAFKA} and {@code KAFKA_SOURCE}
 * @param target where messages go, or come from: a queue, a topic
 * @param subscriber whose consumer it is, or null
 * @param position sequence of the message that is passed next; 0 if it comes from elsewhere
 * @param lag messages that wait, as far as that is known
 * @param transferred messages since it was started
 * @param failed messages since then that could not be passed and were left out, or are dead letters
 * @param waiting why nothing is passed now: the last failure; empty if it does not wait
 * @param awaySince since when the other side does not take messages, or null: it does
 * @param ended whether it has ended, and will pass nothing more
 */
public record TransferStats(
    String kind,
    String target,
    @Nullable String subscriber,
    long position,
    long lag,
    long transferred,
    long failed,
    String waiting,
    @Nullable Instant awaySince,
    boolean ended) {
  /** The kind of a forward to another queue. */
  public static final String QUEUE = "QUEUE";
}
