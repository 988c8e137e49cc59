package com.wookler.river.core.subscriber;

import com.wookler.river.common.TimeSource;
import com.wookler.river.core.backup.Backup;
import com.wookler.river.core.log.BlockLog;
import com.wookler.river.core.log.DamageReporter;
import com.wookler.river.core.message.MessageConverter;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * What all subscribers of one queue share.
 *
 * @param backup with what has left the log; null without
 * @param removal held while a block is taken out of the log, and while a position moves back; taken
 *     before a subscriber's own lock
 * @param cache for messages that are delivered again
 * @param salvage finds the way around damage; null to stop there
 * @param order by which their ledgers are forced
 */
public record SubscriberContext<M>(
    String queue,
    UUID identity,
    BlockLog log,
    @Nullable Backup backup,
    ReentrantLock removal,
    MessageConverter<M> converter,
    TimeSource time,
    RedeliveryCache cache,
    @Nullable DamageReporter salvage,
    ForceOrder order,
    Expiries expiries) {}
