package com.wookler.river.core;

import com.wookler.river.common.Micros;
import com.wookler.river.common.errors.DamagedException;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.backup.Backup;
import com.wookler.river.core.log.BlockLog;
import com.wookler.river.core.log.Damage;
import com.wookler.river.core.log.LogReader;
import com.wookler.river.core.log.SequentialReader;
import com.wookler.river.core.message.StoredMessage;
import java.lang.ref.SoftReference;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds messages by sequence and time without a subscriber, in log and backups. Thread-safe. */
final class Lookup implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Lookup.class);
  private static final int LOCKED_READS = 1_024; // then other threads have their turn

  private final BlockLog log;
  private final @Nullable Backup backup;
  final SharedReader shared; // its lock is held by a test, too

  // messages in a row; volatile because several threads look up
  private volatile SoftReference<List<StoredMessage>> near = new SoftReference<>(null);

  Lookup(String queue, BlockLog log, @Nullable Backup backup) {
    this.log = log;
    this.backup = backup;
    this.shared = new SharedReader(queue, log);
  }

  /** Returns messages in a row from a sequence on; none if the first is nowhere. */
  List<StoredMessage> read(long from, int max) {
    List<StoredMessage> found = new ArrayList<>();
    while (found.size() < max) {
      List<StoredMessage> more = readSome(from + found.size(), max - found.size());
      if (more.isEmpty()) {
        break;
      }
      found.addAll(more);
    }
    return found;
  }

  /** Returns one message, or null; keeps those beside it in its backup for the next look-ups. */
  @Nullable StoredMessage readNear(long sequence) {
    if (backup == null || sequence >= log.firstSequence()) {
      return read(sequence, 1).stream().findFirst().orElse(null);
    }
    List<StoredMessage> frame = near.get();
    if (frame == null || find(frame, sequence) == null) {
      frame = backup.read(sequence, Integer.MAX_VALUE);
      near = new SoftReference<>(frame);
    }
    return find(frame, sequence);
  }

  private static @Nullable StoredMessage find(List<StoredMessage> frame, long sequence) {
    long at = frame.isEmpty() ? -1 : sequence - frame.get(0).sequence();
    return at < 0 || at >= frame.size() || frame.get((int) at).sequence() != sequence
        ? null
        : frame.get((int) at);
  }

  /** Returns the oldest message that the log or a backup has. */
  long first() {
    long first = log.firstSequence();
    return backup == null ? first : Math.min(first, backup.firstSequence().orElse(first));
  }

  /** Returns the first sequence from one on that the log or a backup has; empty at the end. */
  OptionalLong nextFrom(long sequence) {
    long at = Math.max(0, sequence);
    while (at < log.nextSequence()) {
      long next = log.gaps().endOf(log.removed().endOf(at));
      long first = log.firstSequence();
      if (next < first) {
        next = backup == null ? first : Math.min(first, inBackup(backup, next, first));
      }
      if (next == at) {
        return OptionalLong.of(at);
      }
      at = next;
    }
    return OptionalLong.empty();
  }

  private static long inBackup(Backup backup, long from, long end) {
    long lost = backup.endOfLost(from, end);
    return lost > from
        ? lost
        : backup
            .endingAfter(from)
            .map(at -> Math.max(from, at.block().firstSequence()))
            .orElse(end);
  }

  private List<StoredMessage> readSome(long from, int max) {
    List<StoredMessage> inLog = readLog(from, max);
    if (!inLog.isEmpty() || backup == null) {
      return inLog;
    }
    List<StoredMessage> archived = backup.read(from, max);
    boolean isThere = !archived.isEmpty() && archived.get(0).sequence() == from;
    return isThere ? archived : List.of();
  }

  private List<StoredMessage> readLog(long from, int max) {
    return shared.use(reader -> readLog(reader, from, max));
  }

  private List<StoredMessage> readLog(LogReader reader, long from, int max) {
    List<StoredMessage> found = new ArrayList<>();
    if (from < log.firstSequence()) {
      return found;
    }
    reader.moveTo(from);
    try {
      for (int i = Math.min(max, LOCKED_READS); i > 0; i--) {
        StoredMessage message = reader.next();
        if (message == null) {
          break;
        }
        found.add(message);
      }
    } catch (DamagedException e) {
      boolean lost = log.gaps().endOf(from) > from;
      if (found.isEmpty() && from >= log.firstSequence() && !lost) {
        throw e; // otherwise its block went into the backup meanwhile
      }
    }
    return found;
  }

  OptionalLong sequenceAt(Instant time) {
    return sequenceAt(Micros.atOrAfter(time));
  }

  /** Returns the first message published at or after this time, microseconds since 1970. */
  OptionalLong sequenceAt(long micros) {
    while (true) {
      long first = log.firstSequence();
      OptionalLong archived = backup == null ? OptionalLong.empty() : backup.sequenceAt(micros);
      if (archived.isPresent()) {
        return archived;
      }
      OptionalLong found = inLog(micros);
      if (backup == null || log.firstSequence() == first) {
        return found;
      }
      // a block went into the backup after that was asked: it may hold an earlier one
    }
  }

  private OptionalLong inLog(long micros) {
    return shared.use(reader -> reader.sequenceAt(micros));
  }

  /**
   * Passes the messages from a sequence on to a sink, out of backups and log; skips what is lost or
   * damaged. Returns whether something is damaged, or a backup cannot be read now.
   */
  boolean scan(long from, Consumer<StoredMessage> sink) {
    boolean damaged = false;
    long first = log.firstSequence();
    if (backup != null && from < first) {
      try {
        damaged = scanBackup(backup, from, first, sink);
      } catch (RiverException e) { // the log has the rest, and is no reason to stay closed
        LOG.warn("{}; continuing with sequence {}, which is in the log", e.getMessage(), first);
        damaged = true;
      }
    }
    boolean rest = scanLog(from, sink);
    return damaged || rest;
  }

  private static boolean scanBackup(
      Backup backup, long from, long end, Consumer<StoredMessage> sink) {
    boolean damaged = false;
    long next = from;
    while (next < end) {
      List<StoredMessage> frame = List.of();
      boolean holds = false;
      try {
        frame = backup.read(next, Integer.MAX_VALUE);
      } catch (DamagedException e) {
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
      long after = holds ? next + 1 : backup.firstSequenceFrom(next + 1).orElse(end);
      next = Math.max(next + 1, lost.map(Damage::end).orElse(after));
    }
    return damaged;
  }

  private boolean scanLog(long from, Consumer<StoredMessage> sink) {
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

  void leave(int block) {
    shared.leave(block);
  }

  @Override
  public void close() {
    shared.close();
  }
}
