package com.wookler.river.core.log.recovery;

import java.util.function.LongUnaryOperator;

/**
 * What is known of a log's messages outside of it when it is opened.
 *
 * @param finished the sequence after the highest that any subscriber was given or has finished; no
 *     new message may take a sequence below it
 * @param archivedEnd returns where a run of archived messages ends that begins with this sequence;
 *     the same sequence if no backup holds that one. Asked only for what the log does not hold
 */
public record RecoveryInput(long finished, LongUnaryOperator archivedEnd) {
  /** Returns where there are no backups. */
  public static RecoveryInput withoutBackup(long finished) {
    return new RecoveryInput(finished, sequence -> sequence);
  }
}
