package com.wookler.river.kafka;

import com.wookler.river.common.Interrupts;
import com.wookler.river.common.TimeSource;
import com.wookler.river.common.errors.RiverException;
import java.time.Duration;
import org.apache.kafka.common.errors.InterruptException;
import org.slf4j.Logger;

/**
 * What the thread of a forwarder or a source does: it opens a session, works with it until
 * something fails, waits, and begins anew. What subclasses have is confined to that thread.
 *
 * @param <S> a connection to Kafka
 */
abstract class SessionLoop<S extends SessionLoop.Session> implements Runnable {
  /**
   * One connection to Kafka. After most failures its state is unknown: it is abandoned, and another
   * one is opened.
   */
  interface Session extends AutoCloseable {
    /** Closes it within seconds. */
    @Override
    void close();

    /** Ends it without waiting for anything, after a failure. */
    void abandon();
  }

  private final Logger log;
  private final String what;
  private final BrokerProbe probe;
  private final Duration pause;
  private final TimeSource time;
  private final AwayState state;
  private volatile boolean stopping;
  private volatile boolean stopped;

  /**
   * Creates a loop.
   *
   * @param what begins each line in the log, as "Queue orders: forwarding to Kafka"
   * @param pause after a failure
   */
  SessionLoop(Logger log, String what, BrokerProbe probe, Duration pause, TimeSource time) {
    this.log = log;
    this.what = what;
    this.probe = probe;
    this.pause = pause;
    this.time = time;
    this.state = new AwayState(log, what, time);
  }

  /** Throws an exception if the queue is closed, also while no broker answers. */
  abstract void requireOpen();

  /** Makes a session, which is not connected. */
  abstract S create();

  /** Connects a session. */
  abstract void begin(S session);

  /** Does the next piece of work, within some hundred milliseconds where nothing is to be done. */
  abstract void step(S session) throws InterruptedException;

  /** Called with what ends a session, before that is abandoned; may throw something better. */
  void failed(S session, RuntimeException e) {}

  /** Called at the end of each session, before that is closed. */
  void release() {}

  /** Returns whether a failure is one after which it is not tried again. */
  boolean isFinal(RuntimeException e) {
    return false;
  }

  @Override
  public final void run() {
    try {
      while (!stopping) {
        try {
          runSession();
        } catch (InterruptException | InterruptedException e) {
          stopping = true; // by close(), which has waited long enough
        } catch (RuntimeException e) {
          pauseAfter(e);
        } catch (Error e) { // of a converter, perhaps: no other thread transfers
          pauseAfter(new RiverException(e.toString(), e));
        }
      }
    } finally {
      stopped = true;
    }
  }

  private void pauseAfter(RuntimeException e) {
    if (KafkaErrors.isClosedQueue(e)) {
      log.info("{} has ended, because the queue is closed", what);
      stopping = true;
    } else if (isFinal(e)) {
      state.ended(e);
      stopping = true;
    } else if (!stopping) {
      state.failed(e);
      state.pause(pause, () -> stopping);
    }
  }

  private void runSession() throws InterruptedException {
    requireOpen();
    requireReachable();
    S session = create();
    boolean clean = false;
    try {
      begin(session);
      while (!stopping) {
        step(session);
      }
      clean = true;
    } catch (RuntimeException e) {
      failed(session, e);
      throw e;
    } finally {
      end(session, clean);
    }
  }

  /** Ends a session; an interrupt, by which clients would not close, comes after that. */
  private void end(S session, boolean clean) {
    Interrupts.defer(
        () -> {
          try {
            release();
          } finally {
            close(session, clean);
          }
        });
  }

  private void close(S session, boolean clean) {
    try {
      if (clean) {
        session.close();
      } else {
        session.abandon();
      }
    } catch (RuntimeException e) { // why it ends says more
      log.debug("{}: a client of Kafka failed to close", what, e);
    }
  }

  final void requireReachable() {
    if (!probe.isReachable()) {
      throw new UnreachableException("no broker accepts connections at " + probe);
    }
  }

  final void stop() {
    stopping = true;
  }

  final boolean isStopped() {
    return stopped;
  }

  final AwayState state() {
    return state;
  }

  final boolean isAway() {
    return state.failure() != null;
  }

  final TimeSource time() {
    return time;
  }
}
