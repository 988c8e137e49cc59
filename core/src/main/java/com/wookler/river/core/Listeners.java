package com.wookler.river.core;

import com.wookler.river.core.log.Damage;
import com.wookler.river.core.log.files.Seal;
import com.wookler.river.core.message.QueueStatus;
import com.wookler.river.core.subscriber.DeadLetter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Notifies every listener, whatever one of them throws. Thread-safe. */
final class Listeners {
  private static final Logger LOG = LoggerFactory.getLogger(Listeners.class);

  // shared by all queues, as the threads are on which listeners are called
  private static final ThreadLocal<Boolean> CALLING = ThreadLocal.withInitial(() -> false);

  private final List<QueueListener> listeners = new CopyOnWriteArrayList<>();

  void add(QueueListener listener) {
    listeners.add(listener);
  }

  void blockArchived(Seal seal, Path backup) {
    each(
        listener ->
            listener.blockArchived(seal.block(), seal.firstSequence(), seal.messages(), backup));
  }

  void full(String why) {
    each(listener -> listener.full(why));
  }

  void deadLetter(String subscriber, DeadLetter letter) {
    each(
        listener ->
            listener.deadLetter(
                subscriber,
                letter.message().originalSequence(),
                letter.attempts(),
                letter.reason()));
  }

  void deadLettersDropped(String subscriber, long letters) {
    each(listener -> listener.deadLettersDropped(subscriber, letters));
  }

  void subscriberUnused(String subscriber, int blocks, Duration age) {
    each(listener -> listener.subscriberUnused(subscriber, blocks, age));
  }

  void subscriberExpired(String subscriber, Duration unused) {
    each(listener -> listener.subscriberExpired(subscriber, unused));
  }

  void backupFailed(int block, String why) {
    each(listener -> listener.backupFailed(block, why));
  }

  void queueExpired(Duration unused) {
    each(listener -> listener.queueExpired(unused));
  }

  void statusChanged(QueueStatus before, QueueStatus now) {
    each(listener -> listener.statusChanged(before, now));
  }

  void damaged(Damage damage) {
    each(
        listener ->
            listener.damaged(damage.block(), damage.file(), damage.first(), damage.messages()));
  }

  void failed(Throwable cause) {
    each(listener -> listener.failed(cause));
  }

  /** Refuses calls that wait for the threads on which listeners are called, if one is calling. */
  static void refuseInside(String what) {
    if (CALLING.get()) {
      throw new IllegalStateException(
          what + " from another thread: a listener would wait for itself");
    }
  }

  private void each(Consumer<QueueListener> call) {
    CALLING.set(true);
    try {
      for (QueueListener listener : listeners) {
        try {
          call.accept(listener);
        } catch (Throwable e) { // what it was notified of has happened all the same
          LOG.error("Listener {} failed", listener, e);
        }
      }
    } finally {
      CALLING.remove();
    }
  }
}
