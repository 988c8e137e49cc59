package com.wookler.river.core.subscriber;

import com.wookler.river.core.log.BlockLog;
import com.wookler.river.core.log.LogReader;
import com.wookler.river.core.message.Micros;

/** Turns positions into sequences. */
public final class Positions {
  private Positions() {}

  /**
   * The sequence that a position means in this log, now: within what the log holds, or its end.
   *
   * @param lookup a reader to look with; its own position is lost
   */
  public static long resolve(Position position, BlockLog log, LogReader lookup) {
    if (position instanceof Position.Latest) {
      return log.nextSequence();
    }
    if (position instanceof Position.At at) {
      return Math.max(log.firstSequence(), Math.min(at.sequence(), log.nextSequence()));
    }
    if (position instanceof Position.Since since) {
      return lookup.sequenceAt(Micros.atOrAfter(since.time())).orElse(log.nextSequence());
    }
    return log.firstSequence();
  }
}
