package com.wookler.river.core;

import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.backup.Backup;
import com.wookler.river.core.log.BlockLog;
import com.wookler.river.core.log.Damage;
import com.wookler.river.core.log.SequentialReader;
import com.wookler.river.core.message.DamagedMessageException;
import com.wookler.river.core.message.StoredMessage;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads a part of a log, and of its backups, for what has to be found out again. */
final class LogScan {
  private static final Logger LOG = LoggerFactory.getLogger(LogScan.class);

  private LogScan() {}

  /**
   * Shows the messages from a sequence on, up to the log's end, out of the backups as long as they
   * are before the log; what is lost or damaged is passed over.
   *
   * @return whether something is damaged, or a backup cannot be read now
   */
  static boolean scan(Lookup lookup, long from, Consumer<StoredMessage> sink) {
    BlockLog log = lookup.log();
    Backup backup = lookup.backup();
    boolean damaged = false;
    long first = log.firstSequence();
    if (backup != null && from < first) {
      try {
        damaged = scan(backup, from, first, sink);
      } catch (RiverException e) { // the log has the rest, and is no reason to stay closed
        LOG.warn("{}; going on with sequence {}, which is in the log", e.getMessage(), first);
        damaged = true;
      }
    }
    boolean rest = scan(log, from, sink);
    return damaged || rest;
  }

  private static boolean scan(Backup backup, long from, long end, Consumer<StoredMessage> sink) {
    boolean damaged = false;
    long next = from;
    while (next < end) {
      List<StoredMessage> frame = List.of();
      boolean holds = false;
      try {
        frame = backup.read(next, Integer.MAX_VALUE);
      } catch (DamagedMessageException e) {
        holds = true;
      }
      for (StoredMessage message : frame) {
        if (message.sequence() < end) {
          sink.accept(message);
        }
      }
      if (!frame.isEmpty()) {
        next = Math.max(next, frame.get(frame.size() - 1).sequence()) + 1;
        continue;
      }
      Optional<Damage> lost = backup.damageOf(next, end);
      damaged |= holds || lost.isPresent();
      long behind = holds ? next + 1 : backup.firstSequenceFrom(next + 1).orElse(end);
      next = Math.max(next + 1, lost.map(Damage::end).orElse(behind));
    }
    return damaged;
  }

  /**
   * Shows the messages from a sequence on, up to the log's end; what is lost or damaged is passed
   * over.
   *
   * @return whether something is damaged
   */
  static boolean scan(BlockLog log, long from, Consumer<StoredMessage> sink) {
    boolean[] damaged = {false};
    SequentialReader.Damaged note =
        (sequence, first) -> {
          damaged[0] = true;
          return sequence;
        };
    try (SequentialReader reader = new SequentialReader(log, note)) {
      reader.readAll(from, sink);
    }
    return damaged[0];
  }
}
