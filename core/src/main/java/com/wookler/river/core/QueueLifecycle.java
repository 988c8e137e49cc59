package com.wookler.river.core;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.Interrupts;
import com.wookler.river.common.MonitoredThread;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.SubscriberExtension.Attachment;
import com.wookler.river.core.message.QueueClosedException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes a queue from settings to running parts and back; see {@link QueueState}. Thread-safe. */
final class QueueLifecycle<M> {
  private static final Logger LOG = LoggerFactory.getLogger(QueueLifecycle.class);

  private final Listeners listeners;
  private final ReentrantLock lock = new ReentrantLock();

  @GuardedBy("lock")
  private @Nullable QueueConfig<M> config;

  private volatile @Nullable RunningQueue<M> running; // written under the lock
  private volatile String name = ""; // written under the lock
  private volatile QueueState state = QueueState.NEW; // written under the lock

  QueueLifecycle(Listeners listeners) {
    this.listeners = listeners;
  }

  void configure(QueueConfig<M> settings) {
    lock.lock();
    try {
      if (state != QueueState.NEW) {
        throw new IllegalStateException(who() + " is " + state + "; configure it before");
      }
      config = settings;
      name = settings.name();
    } finally {
      lock.unlock();
    }
  }

  /** Starts a queue; without what works for its subscribers, {@link #attach} follows. */
  void start(boolean attaches) {
    lock.lock();
    try {
      QueueConfig<M> settings = config;
      if (settings == null) {
        throw new ConfigurationException("the queue has no settings yet; call configure first");
      }
      if (state != QueueState.NEW) {
        throw new IllegalStateException(who() + " is " + state + "; it starts once");
      }
      become(QueueState.STARTING);
      try {
        running =
            Interrupts.deferred(
                () -> new RunningQueue<>(settings, listeners, attaches, this::expireSoon));
      } finally {
        become(running == null ? QueueState.NEW : QueueState.RUNNING);
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Starts what works for the subscribers of a queue that runs; if it fails, it is to be closed.
   */
  void attach() {
    lock.lock();
    try {
      Interrupts.defer(running()::attach);
    } finally {
      lock.unlock();
    }
  }

  /** Starts what works for subscribers that a queue got while it runs. */
  void attach(Map<String, Attachment> attachments) {
    lock.lock();
    try {
      RunningQueue<M> parts = running();
      Interrupts.defer(() -> parts.attach(attachments));
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private void become(QueueState next) {
    if (!state.mayBecome(next)) {
      throw new IllegalStateException(who() + " cannot go from " + state + " to " + next);
    }
    state = next;
  }

  /** Returns the parts of a queue that runs; fails if it is closed, or was not started. */
  RunningQueue<M> running() {
    RunningQueue<M> parts = running;
    if (parts == null) {
      if (state == QueueState.NEW || state == QueueState.STARTING) {
        throw new IllegalStateException(
            name.isEmpty()
                ? "the queue has no settings yet; call configure and start first"
                : who() + " was not started; call start first");
      }
      throw new QueueClosedException(who() + " is closed");
    }
    return parts;
  }

  private String who() {
    return name.isEmpty() ? "the queue" : "queue " + name;
  }

  String name() {
    return name;
  }

  QueueState state() {
    RunningQueue<M> parts = running;
    QueueState now = state;
    return now == QueueState.RUNNING && parts != null && parts.log().failure().isPresent()
        ? QueueState.FAILED
        : now;
  }

  /** Has the queue removed by a thread of its own: it waits for those of the queue. */
  private void expireSoon() {
    new MonitoredThread("RIVER-expire-" + name, this::expire).start();
  }

  private void expire() {
    Duration unused;
    lock.lock();
    try {
      RunningQueue<M> parts = running;
      if (parts == null || !parts.endsUnused()) {
        return;
      }
      unused = parts.expiresAfter();
      try {
        close(parts, true);
      } catch (RuntimeException e) {
        LOG.warn("{}: removed, but not all of it could be deleted", who(), e);
      }
    } finally {
      lock.unlock();
    }
    LOG.info("{}: removed, empty and not in use for {} (queue.expires.after)", who(), unused);
    listeners.queueExpired(unused);
  }

  @GuardedBy("lock")
  private void close(RunningQueue<M> parts, boolean delete) {
    become(QueueState.STOPPING);
    try {
      Interrupts.defer(() -> parts.close(delete));
    } finally {
      running = null;
      become(QueueState.STOPPED);
    }
  }

  /** Takes the parts apart, also if that fails; once. */
  void close(boolean delete) {
    Listeners.refuseInside("close " + who()); // before the lock, under which the pools drain
    lock.lock();
    try {
      RunningQueue<M> parts = running;
      if (parts == null) {
        state = QueueState.STOPPED;
        return;
      }
      close(parts, delete);
    } finally {
      lock.unlock();
    }
  }
}
