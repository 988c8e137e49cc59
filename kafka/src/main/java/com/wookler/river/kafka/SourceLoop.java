package com.wookler.river.kafka;

import com.wookler.river.common.Interrupts;
import com.wookler.river.common.TimeSource;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.QueueFullException;
import com.wookler.river.core.message.QueueStatusException;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.apache.kafka.common.errors.InterruptException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a source's thread does: it opens a session, stores what that reads until something fails,
 * waits, and begins anew.
 */
final class SourceLoop implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(SourceLoop.class);
  private static final Duration WAIT = Duration.ofMillis(200); // after which it sees that it ends
  private static final long COMMIT_NANOS = Duration.ofSeconds(1).toNanos();
  private static final long LOOK_NANOS = Duration.ofSeconds(3).toNanos();

  private final MessageQueue<?> queue;
  private final List<String> topics;
  private final Supplier<SourceSession<?>> sessions;
  private final BrokerProbe probe;
  private final Duration pause;
  private final TimeSource time;
  private final AwayState state;
  private volatile boolean stopping;
  private volatile boolean stopped;
  private long committedAt;
  private long heardAt;

  SourceLoop(
      MessageQueue<?> queue,
      List<String> topics,
      Supplier<SourceSession<?>> sessions,
      BrokerProbe probe,
      Duration pause,
      TimeSource time) {
    this.queue = queue;
    this.topics = topics;
    this.sessions = sessions;
    this.probe = probe;
    this.pause = pause;
    this.time = time;
    this.state = new AwayState(LOG, "Queue " + queue.name() + ": reading from Kafka", time);
  }

  @Override
  public void run() {
    try {
      while (!stopping) {
        try {
          runSession();
        } catch (InterruptException e) {
          stopping = true; // by close(), which has waited long enough
        } catch (RuntimeException e) {
          if (KafkaErrors.isClosedQueue(e)) {
            LOG.info("Queue {}: closed, so Kafka is read no longer", queue.name());
            stopping = true;
          } else if (!stopping) {
            state.failed(e);
            state.pause(pause, () -> stopping);
          }
        }
      }
    } finally {
      stopped = true;
    }
  }

  private void runSession() {
    requireOpen();
    requireReachable();
    SourceSession<?> session = sessions.get();
    boolean clean = false;
    try {
      session.open(topics);
      heardAt = time.nanoTime();
      while (!stopping) {
        step(session);
      }
      clean = true;
    } finally {
      end(session, clean);
    }
  }

  /** Ends a session; an interrupt, by which clients would not close, comes after that. */
  private void end(SourceSession<?> session, boolean clean) {
    Interrupts.defer(
        () -> {
          try {
            if (clean) {
              session.close();
            } else {
              session.abandon();
            }
          } catch (RuntimeException e) { // why it ends says more
            LOG.debug("Queue {}: a client of Kafka failed to close", queue.name(), e);
          }
        });
  }

  private void step(SourceSession<?> session) {
    requireOpen();
    try {
      if (session.step(WAIT)) {
        heardAt = time.nanoTime();
        state.working();
      } else if (time.nanoTime() - heardAt > LOOK_NANOS) {
        requireReachable(); // a consumer says nothing of brokers that are away, but in its log
        heardAt = time.nanoTime();
        state.working();
      }
    } catch (QueueFullException | QueueStatusException e) {
      state.failed(e); // the session stays in its group, and stores the rest when there is room
    }
    if (time.nanoTime() - committedAt > COMMIT_NANOS) {
      session.commit();
      committedAt = time.nanoTime();
    }
  }

  /** Ends with an exception if the queue is closed, also while there is nothing to store. */
  private void requireOpen() {
    var unused = queue.identity();
  }

  private void requireReachable() {
    if (!probe.isReachable()) {
      throw new UnreachableException("no broker accepts connections at " + probe);
    }
  }

  void stop() {
    stopping = true;
  }

  boolean isStopped() {
    return stopped;
  }

  AwayState state() {
    return state;
  }
}
