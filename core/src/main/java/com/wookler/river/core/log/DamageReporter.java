package com.wookler.river.core.log;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.Interrupts;
import com.wookler.river.common.LostSequences;
import com.wookler.river.common.TimeSource;
import com.wookler.river.common.counters.AbstractCounter;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.common.utils.Amount;
import com.wookler.river.core.log.files.Gaps;
import com.wookler.river.core.log.files.Seal;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out which messages are lost to damage, and reports each once, however often it is met: in
 * the file {@code damage.log}, in a WARN line, in a counter and to a listener. Thread-safe; no lock
 * is held while the listener is called.
 */
public final class DamageReporter {
  private static final Logger LOG = LoggerFactory.getLogger(DamageReporter.class);

  private final BlockLog log;
  private final LogSettings settings;
  private final String queue;
  private final DamageLog record;
  private final TimeSource time;
  private final AbstractCounter damaged;
  private final Consumer<Damage> listener;

  @GuardedBy("this")
  private final LostSequences ever = new LostSequences(); // all that is on record

  @GuardedBy("this")
  private final LostSequences met = new LostSequences(); // of that, what readers have met

  @GuardedBy("this")
  private long delayed; // messages that were lost with files of delayed ones

  @GuardedBy("this")
  private long unknown; // those of them of which nothing says which they were

  /** For a log, with the record in the queue's directory; the listener must not wait. */
  public DamageReporter(
      BlockLog log,
      Path home,
      LogSettings settings,
      AbstractCounter damaged,
      Consumer<Damage> listener) {
    this.log = log;
    this.settings = settings;
    this.queue = settings.queue();
    this.time = settings.time();
    this.record = new DamageLog(home, queue);
    this.damaged = damaged;
    this.listener = listener;
    try {
      record.read().forEach(this::known);
    } catch (IOException e) {
      throw new RiverException("queue " + queue + ": cannot read the record of damage", e);
    }
    log.gaps().all().forEach(this::record);
  }

  private synchronized void known(Damage damage) {
    if (damage.first() < 0) {
      unknown += damage.messages();
    } else {
      ever.add(damage.first(), damage.end());
    }
    if (damage.block() < 0) {
      delayed += damage.messages();
    } else if (!damage.isGap()) {
      met.add(damage.first(), damage.end());
    }
  }

  /** Records a gap, which was reported when it was found, for as long as the queue exists. */
  private synchronized void record(Gaps.Gap gap) {
    Path file = settings.directory().resolve(Gaps.NAME);
    for (LostSequences.Run run : ever.missing(gap.first(), gap.end())) {
      Damage part = new Damage(gap.block(), file, run.first(), run.end(), 0, 0);
      try {
        record.add(part, time.wallTime());
      } catch (IOException e) {
        LOG.warn("Queue {}: cannot write the record of what is lost", queue, e);
      }
      known(part);
    }
  }

  /**
   * Finds out, after a read has met damage, where the log continues, and reports and records what
   * is lost up to there. Returns the same sequence if it is valid after all, or nothing can be
   * found out now.
   */
  public long passOver(long sequence) {
    try {
      return Interrupts.held(
          () -> {
            Optional<Damage> found = log.damageAt(sequence);
            if (found.isEmpty()) {
              return sequence;
            }
            report(found.get());
            return found.get().end();
          });
    } catch (IOException e) {
      LOG.warn(
          "Queue {}: damaged: sequence {}; cannot look for what is lost, trying again: {}",
          queue,
          sequence,
          e.toString());
      return sequence;
    }
  }

  /** Moves the file of a block that leaves the log unarchived to the directory {@code damaged}. */
  public void keep(Seal seal) throws IOException {
    log.leaves(seal); // first, else a crash makes it a block that is missing
    Path kept = record.keepBlock(log.file(seal));
    LOG.warn("Queue {}: damaged: block {} is kept as {}", queue, seal.block(), kept);
  }

  /** Reports all that a block of the log has lost. */
  public void reportAll(Seal seal) throws IOException {
    Block block = log.blockOf(seal.firstSequence());
    if (block != null) {
      for (Damage found : log.scans().make(block, settings, log.nextSequence()).lost()) {
        report(found);
      }
    }
  }

  /** Reports what a backup lost; returns whether that is on record: else it is not completed. */
  public boolean lostInBackup(Damage found) {
    try {
      Interrupts.defer(() -> report(found));
      return true;
    } catch (IOException e) {
      LOG.warn("Queue {}: damaged: {}; cannot write the record: {}", queue, found, e.toString());
      return false;
    }
  }

  /** Reports messages that were lost with a file that is no block's. */
  public void lost(Damage found) {
    synchronized (this) {
      if (found.first() >= 0 && ever.missing(found.first(), found.end()).isEmpty()) {
        return; // the log has lost it too, and reported it
      }
      try {
        record.add(found, time.wallTime());
      } catch (IOException e) {
        LOG.warn("Queue {}: cannot write the record of damage", queue, e);
      }
      known(found);
    }
    damaged.add(found.messages());
    LOG.warn(
        "Queue {}: damaged: {}: {} lost, {}, at bytes {} to {}",
        queue,
        found.file(),
        Amount.of(found.messages(), "delayed message"),
        found.first() < 0 ? "sequence unknown" : "sequence " + found.first(),
        found.from(),
        found.to());
    listener.accept(found);
  }

  /** Returns how many messages are known to be lost: of the log as it is now, and delayed ones. */
  public synchronized long lost() {
    long first = log.firstSequence();
    long sum = delayed + met.countWithin(first, Long.MAX_VALUE);
    for (Gaps.Gap gap : log.gaps().all()) {
      sum += gap.messages() - met.countWithin(Math.max(first, gap.first()), gap.end());
    }
    return sum;
  }

  /** Returns how many messages were ever lost, each counted once; it never falls. */
  public synchronized long lostEver() {
    return ever.count() + unknown;
  }

  private void report(Damage found) throws IOException {
    for (Damage news : record(found)) {
      damaged.add(news.messages());
      LOG.warn(
          "Queue {}: damaged: {}, block {}: sequences {} to {} are lost, {}, at bytes {} to"
              + " {}. Every subscriber continues after them",
          queue,
          news.file(),
          news.block(),
          news.first(),
          news.end() - 1,
          Amount.of(news.messages(), "message"),
          news.from(),
          news.to());
      listener.accept(news);
    }
  }

  /** Records what of it was not known, and returns that. */
  private synchronized List<Damage> record(Damage found) throws IOException {
    List<Damage> news = new ArrayList<>();
    for (LostSequences.Run run : ever.missing(found.first(), found.end())) {
      Damage part = found.within(run.first(), run.end());
      record.add(part, time.wallTime());
      known(part);
      news.add(part);
    }
    return news;
  }
}
