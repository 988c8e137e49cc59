package com.wookler.river.core;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.common.settings.Settings;
import com.wookler.river.core.backup.Backup;
import com.wookler.river.core.message.QueueStatus;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Changes the options and the status of a queue that runs, one call after the other. */
final class Reconfiguration {
  private static final Logger LOG = LoggerFactory.getLogger(Reconfiguration.class);

  private final ReentrantLock changing = new ReentrantLock(); // taken before all others
  private final QueueConfig<?> config;
  private final QueueStorage storage;
  private final AdmissionControl intake;
  private final @Nullable Backup backup;
  private final SubscriberRegistry<?> subscribers;

  /** Has a queue that is being opened do what the status says that it had. */
  Reconfiguration(
      QueueStorage storage, AdmissionControl intake, SubscriberRegistry<?> subscribers) {
    this.storage = storage;
    this.config = storage.config;
    this.intake = intake;
    this.backup = storage.backup;
    this.subscribers = subscribers;
    QueueStatus kept = storage.directory.status();
    if (kept != QueueStatus.UP) {
      LOG.warn("Queue {} has the status {}, as it had when it was closed", config.name(), kept);
      become(kept);
    }
  }

  QueueStatus status() {
    return intake.status();
  }

  private void become(QueueStatus to) {
    intake.become(to);
    subscribers.become(to);
  }

  /** Keeps the status on the device, and then has the queue do what it says. */
  void change(QueueStatus to) {
    changing.lock();
    try {
      QueueStatus before = intake.status();
      if (to == before) {
        return;
      }
      storage.directory.status(to);
      become(to);
      LOG.info("Queue {}: the status is {}, it was {}", config.name(), to, before);
      storage.notifyListeners(all -> all.statusChanged(before, to));
    } catch (IOException e) {
      throw new RiverException("queue " + config.name() + ": cannot keep the status " + to, e);
    } finally {
      changing.unlock();
    }
  }

  /** Checks all changes, and then makes them; if a value cannot be, nothing has changed. */
  void apply(Changes changes) {
    changing.lock();
    try {
      Settings before = config.settings();
      Settings after = config.changed(changes.queue());
      List<SubscriberConfig> others = new ArrayList<>();
      changes.subscribers().forEach((name, change) -> others.add(changed(name, change)));
      subscribers.refuseCycle(QueueConfig.expiryQueues(after, others.stream()));
      config.become(after);
      intake.limit();
      if (backup != null) {
        backup.retain(config.get(QueueOptions.BACKUP_RETENTION));
      }
      others.forEach(subscribers::reconfigure);
      LOG.info("Queue {} is reconfigured: {} {}", config.name(), after.differences(before), others);
    } finally {
      changing.unlock();
    }
  }

  /**
   * Refuses changes that {@link #apply} would refuse, but for cycles of expiry queues: those depend
   * on what other queues change first.
   */
  void check(Changes changes) {
    Settings unused = config.changed(changes.queue());
    changes.subscribers().forEach(this::check);
  }

  private void check(String subscriber, UnaryOperator<Settings> change) {
    SubscriberConfig unused = changed(subscriber, change);
  }

  private SubscriberConfig changed(String name, UnaryOperator<Settings> change) {
    SubscriberConfig known =
        subscribers
            .config(name)
            .orElseThrow(
                () ->
                    new ConfigurationException(
                        "queue %s has no subscriber %s; it has %s"
                            .formatted(config.name(), name, subscribers.names())));
    SubscriberConfig changed =
        SubscriberConfig.builder(name).settings(change.apply(known.settings())).build();
    QueueConfig.checkExpiryQueue(config.name(), changed);
    return changed;
  }

  Settings settings() {
    return config.settings();
  }
}
