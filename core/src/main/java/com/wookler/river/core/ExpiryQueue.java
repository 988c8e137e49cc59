package com.wookler.river.core;

import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.StoredMessage;
import com.wookler.river.core.subscriber.DeadLetter;
import com.wookler.river.core.subscriber.ExpiredMessages;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands expired messages on to the queue that is named for them, which has to run in this JVM with
 * the same base directory. Thread-safe.
 *
 * <p>A message is in that queue, safe from a kill, before its subscriber counts it as finished; and
 * on the device before that is: {@link #force} comes before the ledgers. A crash in between hands
 * it on once more.
 */
final class ExpiryQueue {
  private static final Logger LOG = LoggerFactory.getLogger(ExpiryQueue.class);
  private static final String REASON = "expired";

  private final String queue;
  private final Path target;
  private volatile boolean unforced; // set after a message was kept, cleared before a force
  private volatile boolean failing; // so that it is said once

  ExpiryQueue(String queue, Path target) {
    this.queue = queue;
    this.target = target;
  }

  /** See {@link ExpiredMessages#keep}. */
  boolean keep(StoredMessage message, String subscriber) {
    Message<byte[]> copy = new DeadLetter(message, 0, REASON, null).toMessage(queue, subscriber);
    boolean kept = false;
    try {
      kept = OpenQueues.use(target, to -> to.publisher().offer(copy));
    } catch (RiverException e) {
      LOG.debug("Queue {}: {} does not take what expired", queue, target, e);
    }
    if (kept) {
      unforced = true;
      failing = false;
    } else if (!failing) {
      failing = true;
      LOG.warn(
          "Queue {}, subscriber {}: messages that expired wait, and those behind them: the queue {}"
              + " is not open, or takes no more",
          queue,
          subscriber,
          target);
    }
    return kept;
  }

  /** Brings to the device what was kept; on the flusher. */
  void force() {
    if (unforced) {
      unforced = false;
      OpenQueues.use(
          target, // else it was closed, which forces
          to -> {
            to.log().forceAppended();
            return true;
          });
    }
  }
}
