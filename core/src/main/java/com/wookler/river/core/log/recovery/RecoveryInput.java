package com.wookler.river.core.log.recovery;

import java.util.function.LongUnaryOperator;

/**
 * What is known of a log's messages outside of it when it is opened.
 *
 * @param completed the sequence after the highest that any subscriber was given or has completed;
 *     no new message may take a sequence below it
 * @param archivedEnd returns where a run of archived messages ends that begins with this sequence;
 *     the same sequence if no backup holds that one. Asked only for what the log does not hold
 */
public record RecoveryInput(long completed, LongUnaryOperator archivedEnd) {}
