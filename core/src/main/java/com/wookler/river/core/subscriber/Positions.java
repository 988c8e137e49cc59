package com.wookler.river.core.subscriber;

import com.wookler.river.common.Micros;
import com.wookler.river.core.backup.Backup;
import com.wookler.river.core.log.BlockLog;
import com.wookler.river.core.log.LogReader;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Turns positions into sequences. */
public final class Positions {
  private Positions() {}

  /** Returns the sequence that a position means now; {@code lookup} loses its own position. */
  public static long resolve(
      Position position, BlockLog log, @Nullable Backup backup, LogReader lookup) {
    if (position instanceof Position.Latest) {
      return log.nextSequence();
    }
    if (position instanceof Position.At at) {
      return Math.max(oldest(log, backup), Math.min(at.sequence(), log.nextSequence()));
    }
    if (position instanceof Position.Since since) {
      return at(Micros.atOrAfter(since.time()), log, backup, lookup);
    }
    return log.firstSequence();
  }

  private static long oldest(BlockLog log, @Nullable Backup backup) {
    long first = log.firstSequence();
    return backup == null ? first : Math.min(first, backup.firstSequence().orElse(first));
  }

  private static long at(long micros, BlockLog log, @Nullable Backup backup, LogReader lookup) {
    OptionalLong past = backup == null ? OptionalLong.empty() : backup.sequenceAt(micros);
    return past.isPresent() && past.getAsLong() < log.firstSequence()
        ? past.getAsLong()
        : lookup.sequenceAt(micros).orElse(log.nextSequence());
  }
}
