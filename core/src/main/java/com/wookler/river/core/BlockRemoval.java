package com.wookler.river.core;

import com.wookler.river.common.RetryBackoff;
import com.wookler.river.common.TimeSource;
import com.wookler.river.common.utils.Amount;
import com.wookler.river.core.log.BlockLog;
import com.wookler.river.core.log.DamageReporter;
import com.wookler.river.core.log.files.Seal;
import com.wookler.river.core.subscriber.ForceOrder;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes the files of blocks that the log has forgotten, oldest first. Where one cannot be deleted
 * now, those after it stay too: otherwise the next opening would take the gap for a loss. What is
 * left at the closing of the queue is archived again by the next opening.
 */
final class BlockRemoval {
  private static final Logger LOG = LoggerFactory.getLogger(BlockRemoval.class);

  private final String queue;
  private final BlockLog log;
  private final DamageReporter salvage;
  private final ForceOrder order;

  private final Deque<Leaving> leaving = new ArrayDeque<>(); // confined to the flusher
  private final RetryBackoff retry; // confined to the flusher, but for isTime
  private volatile boolean late; // set by the flusher, cleared by takeDue

  /** A block whose files are to be deleted; if it is damaged, its data file is kept. */
  private record Leaving(Seal seal, boolean damaged) {}

  BlockRemoval(
      String queue, BlockLog log, DamageReporter salvage, ForceOrder order, TimeSource time) {
    this.queue = queue;
    this.log = log;
    this.salvage = salvage;
    this.order = order;
    this.retry = new RetryBackoff(time);
  }

  /** Adds the next block, which no reader uses any more; on the flusher. */
  void add(Seal seal, boolean damaged) {
    leaving.add(new Leaving(seal, damaged));
    if (!late) {
      run();
    }
  }

  /** Returns whether something waits to be tried again now; cheap, from any thread. */
  boolean isDue() {
    return late && retry.isTime();
  }

  /** Returns whether a removal is due again; then the caller has the flusher {@link #run}. */
  boolean takeDue() {
    boolean due = isDue();
    if (due) {
      late = false;
    }
    return due;
  }

  /**
   * Deletes the files; on the flusher. Before that it forces the ledgers that completed the blocks,
   * and the ids of their messages, which no other file has; else the files stay.
   */
  void run() {
    try {
      if (leaving.isEmpty() || !order.force()) {
        retry.postpone();
        late = !leaving.isEmpty(); // the log says itself why it could not be forced
        return;
      }
    } catch (RuntimeException | Error e) { // an error too: only this tries again
      putOff("until what tells of it can be forced", e);
      return;
    }
    while (!leaving.isEmpty()) {
      try {
        delete(leaving.element());
      } catch (IOException | RuntimeException | Error e) { // as of a mapped file
        putOff("as it cannot be deleted now", e);
        return;
      }
      leaving.remove();
      retry.succeeded();
    }
  }

  private void delete(Leaving block) throws IOException {
    if (block.damaged()) {
      salvage.keep(block.seal());
    }
    log.delete(block.seal());
  }

  private void putOff(String why, Throwable e) {
    LOG.warn(
        "Queue {}: {} stays, {}, and {} behind it; next try in {} s, or at the next start",
        queue,
        log.file(leaving.element().seal()),
        why,
        Amount.of(leaving.size() - 1, "block"),
        retry.failed(),
        e);
    late = true;
  }
}
