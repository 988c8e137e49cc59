package com.wookler.river.core;

import com.wookler.river.common.RetryBackoff;
import com.wookler.river.common.TimeSource;
import com.wookler.river.common.utils.Amount;
import com.wookler.river.core.log.BlockLog;
import com.wookler.river.core.log.Salvage;
import com.wookler.river.core.log.files.Seal;
import com.wookler.river.core.subscriber.ForceOrder;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes the files of blocks that the log has forgotten, oldest first: one that cannot be deleted
 * now keeps those behind it, until it can. Otherwise the next opening would find a block without
 * the one behind it, which is what a loss looks like.
 *
 * <p>What is left when the queue is closed is found by the next opening, which takes it out again.
 */
final class BlockRemoval {
  private static final Logger LOG = LoggerFactory.getLogger(BlockRemoval.class);

  private final String queue;
  private final BlockLog log;
  private final Salvage salvage;
  private final ForceOrder order;

  private final Deque<Leaving> leaving = new ArrayDeque<>(); // confined to the flusher
  private final RetryBackoff retry; // confined to the flusher, but for isTime
  private volatile boolean
      late; // set by the flusher, cleared by the caller that sends it to try again

  /**
   * A block that goes.
   *
   * @param damaged its data file is kept aside
   */
  private record Leaving(Seal seal, boolean damaged) {}

  BlockRemoval(String queue, BlockLog log, Salvage salvage, ForceOrder order, TimeSource time) {
    this.queue = queue;
    this.log = log;
    this.salvage = salvage;
    this.order = order;
    this.retry = new RetryBackoff(time);
  }

  /** A block that no reader stands in any more, the one behind the last; on the flusher. */
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

  /**
   * Returns whether a removal is to be tried again now; if so, the caller makes the flusher {@link
   * #run}.
   */
  boolean takeDue() {
    boolean due = isDue();
    if (due) {
      late = false;
    }
    return due;
  }

  /**
   * Deletes what is left; on the flusher. First the ledgers that say it is completed, so that a
   * power loss undoes neither or both, and the ids of its messages, which nothing tells once it is
   * gone. Where these cannot be written now, the files stay until they can.
   */
  void run() {
    try {
      if (leaving.isEmpty() || !order.force()) {
        retry.postpone();
        late = !leaving.isEmpty(); // the log says itself why it could not be forced
        return;
      }
    } catch (RuntimeException | Error e) { // an error too: nothing else tries again
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
