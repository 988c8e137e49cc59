package com.wookler.river.core.log;

import com.wookler.river.common.WorkerPool;
import com.wookler.river.common.counters.AbstractCounter;
import com.wookler.river.common.counters.Average;
import com.wookler.river.common.counters.ConcurrentCounter;
import com.wookler.river.common.counters.TimeWindow;
import com.wookler.river.core.log.recovery.RecoveryInput;
import java.time.Duration;
import java.time.Instant;

/** A log all of whose work is done on one pool, and whose counters nobody reads. */
public final class PooledLog {
  private PooledLog() {}

  /** Opens it, with sequence 0 first if it is new. */
  public static BlockLog open(LogSettings settings, WorkerPool pool) {
    AbstractCounter counter =
        new ConcurrentCounter(
            new TimeWindow(Duration.ofDays(1), () -> Instant.EPOCH), Average.class);
    return BlockLog.open(
        settings,
        new LogCounters(counter, counter, counter, counter),
        new LogExecutors(
            pool.serial("flusher"),
            pool.serial("committer"),
            pool.serial("maker"),
            pool.serial("toucher")),
        new RecoveryInput(0, at -> at));
  }
}
