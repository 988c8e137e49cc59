package com.wookler.river.forward;

import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.log.BlockLog;
import com.wookler.river.core.message.ForwardOrigin;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.StoredMessage;
import com.wookler.river.core.subscriber.DeadLetter;
import com.wookler.river.core.subscriber.ExpiredMessages;
import com.wookler.river.core.transfer.Endpoint;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Transfers what expires for one subscriber to one other queue, message by message. Thread-safe.
 *
 * <p>A message that the target cannot take now stays with its subscriber, as do those after it. One
 * that it took is completed at once, and forced there before that is: {@link #force} precedes each
 * force of the subscriber's ledger.
 *
 * <p>It gives what the source's log has forced: else a power loss could take a message out of that
 * log whose sequence, that of another message then, the target has already. What is not there yet
 * waits in the same way, and has the log forced soon.
 */
final class ExpiryTransfer {
  private static final Logger LOG = LoggerFactory.getLogger(ExpiryTransfer.class);
  private static final String REASON = "expired";

  private final Endpoint source;
  private final String subscriber;
  private final Path target;
  private final TransferWait wait;
  private final Set<OpenQueues.Slot> unforced = ConcurrentHashMap.newKeySet(); // that took some
  private final AtomicLong taken = new AtomicLong();
  private volatile long forced; // how many of those taken; written under the monitor

  ExpiryTransfer(Endpoint source, String subscriber, String target) {
    this.source = source;
    this.subscriber = subscriber;
    this.target = source.base().resolve(target);
    this.wait = new TransferWait(source.time(), Duration.ZERO);
  }

  /** See {@link ExpiredMessages#keep}. */
  boolean keep(StoredMessage message) {
    if (!isForced(message.sequence())) {
      return false;
    }
    Message<byte[]> copy =
        new DeadLetter(message, 0, REASON, null).toMessage(source.queue(), subscriber);
    ForwardOrigin origin = new ForwardOrigin(source.identity(), message.sequence());
    OpenQueues.Slot slot = OpenQueues.find(target);
    String why = "it is not open, or takes no more";
    try {
      if (slot != null
          && slot.use(to -> to.target().takeExpired(copy, origin, source.log().firstSequence()))) {
        unforced.add(slot); // before it is counted
        taken.incrementAndGet();
        wait.over();
        return true;
      }
    } catch (RiverException e) {
      why = String.valueOf(e.getMessage());
    }
    if (wait.because(why)) {
      LOG.warn(
          "Queue {}, subscriber {}: sequence {} has expired and waits, and those after it, for the"
              + " expiry queue {}: {}",
          source.queue(),
          subscriber,
          message.sequence(),
          target,
          why);
    }
    return false;
  }

  /** Returns whether the source's log has forced a message; if not, requests that. */
  private boolean isForced(long sequence) {
    BlockLog log = source.log();
    if (sequence < log.forcedEnd()) {
      return true;
    }
    CompletableFuture<Long> unused = log.commits().future(sequence, sequence + 1);
    return false; // housekeeping and polls try again
  }

  /** See {@link ExpiredMessages#force}. */
  void force() {
    if (forced < taken.get()) {
      forceTaken();
    }
  }

  private synchronized void forceTaken() {
    long all = taken.get();
    for (OpenQueues.Slot slot : List.copyOf(unforced)) {
      unforced.remove(slot); // before, so that what it takes meanwhile is forced the next time
      try {
        slot.force();
      } catch (RuntimeException e) {
        unforced.add(slot);
        throw new RiverException(
            ("queue %s: what expired may not be on the device in %s, nor is then what finished with"
                    + " it: %s")
                .formatted(source.queue(), target, e.getMessage()),
            e);
      }
    }
    forced = all; // only now: a force that failed is none
  }
}
