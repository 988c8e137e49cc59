package com.wookler.river.core;

import com.wookler.river.common.TimeSource;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.log.BlockLog;
import com.wookler.river.core.message.ForwardOrigin;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.StoredMessage;
import com.wookler.river.core.subscriber.DeadLetter;
import com.wookler.river.core.subscriber.ExpiredMessages;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands expired messages on to the queue that is named for them, which has to run in this JVM with
 * the same base directory. Thread-safe.
 *
 * <p>What that queue refuses, because it is full or closed, or smaller than the message, waits
 * here, and so does what is behind it, until it takes it: nothing is lost, and it is said once a
 * minute.
 *
 * <p>A message is in that queue, safe from a kill, before its subscriber counts it as finished; and
 * on the device before that is: {@link #force} comes before every force of the ledger of a
 * subscriber that handed some on. It is there once, whichever subscribers it expires for, and
 * whenever the process ends: that queue knows from the header of its copy that it has it ({@link
 * ForwardTarget}).
 */
final class ExpiryQueue {
  private static final Logger LOG = LoggerFactory.getLogger(ExpiryQueue.class);
  private static final String REASON = "expired";
  private static final long MINUTE_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final String queue;
  private final UUID identity;
  private final BlockLog log;
  private final Path target;
  private final TimeSource time;
  private final Set<OpenQueues.Slot> unforced = ConcurrentHashMap.newKeySet(); // that took some
  private final AtomicLong kept = new AtomicLong(); // so many messages
  private volatile long forced; // so many of them are on the device; written under the monitor
  private volatile boolean failing;
  private volatile long saidAt; // while it fails

  ExpiryQueue(String queue, UUID identity, BlockLog log, Path target, TimeSource time) {
    this.queue = queue;
    this.identity = identity;
    this.log = log;
    this.target = target;
    this.time = time;
  }

  /** See {@link ExpiredMessages#keep}. */
  boolean keep(StoredMessage message, String subscriber) {
    Message<byte[]> copy = new DeadLetter(message, 0, REASON, null).toMessage(queue, subscriber);
    ForwardOrigin origin = new ForwardOrigin(identity, message.sequence());
    boolean taken = false;
    String why = "it is not open, or takes no more";
    OpenQueues.Slot slot = OpenQueues.find(target);
    try {
      taken = slot != null && slot.use(to -> offer(to, copy, origin));
    } catch (RiverException e) {
      why = String.valueOf(e.getMessage());
    }
    if (slot != null && taken) {
      unforced.add(slot); // before it is counted
      kept.incrementAndGet();
      failing = false;
    } else {
      say(message, subscriber, why);
    }
    return taken;
  }

  private boolean offer(OpenQueue to, Message<byte[]> copy, ForwardOrigin origin) {
    return to.publisher().offer(to.target(), copy, origin, log.firstSequence());
  }

  /** Once a minute: as long as it fails, the subscriber stands still. */
  private void say(StoredMessage message, String subscriber, String why) {
    long now = time.nanoTime();
    if (failing && now - saidAt < MINUTE_NANOS) {
      return;
    }
    saidAt = now;
    failing = true;
    LOG.warn(
        "Queue {}, subscriber {}: sequence {} has expired and waits, and those behind it, for the"
            + " expiry queue {}: {}",
        queue,
        subscriber,
        message.sequence(),
        target,
        why);
  }

  /** See {@link ExpiredMessages#force}. */
  void force() {
    if (forced < kept.get()) {
      forceKept();
    }
  }

  private synchronized void forceKept() {
    long all = kept.get();
    for (OpenQueues.Slot slot : List.copyOf(unforced)) {
      unforced.remove(slot); // before, so that what it takes meanwhile is forced the next time
      try {
        slot.force();
      } catch (RuntimeException e) {
        unforced.add(slot);
        throw new RiverException(
            "queue "
                + queue
                + ": what expired may not be on the device in "
                + target
                + ", nor is then what finished with it: "
                + e.getMessage(),
            e);
      }
    }
    forced = all; // only now: a force that failed is none
  }
}
