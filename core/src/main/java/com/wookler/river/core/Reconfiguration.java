package com.wookler.river.core;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.settings.Settings;
import com.wookler.river.core.backup.Backup;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Changes the options of a queue that runs, one call after the other. */
final class Reconfiguration {
  private static final Logger LOG = LoggerFactory.getLogger(Reconfiguration.class);

  private final ReentrantLock changing = new ReentrantLock(); // taken before all others
  private final QueueConfig<?> config;
  private final AdmissionControl intake;
  private final @Nullable Backup backup;
  private final SubscriberRegistry<?> subscribers;

  Reconfiguration(
      QueueConfig<?> config,
      AdmissionControl intake,
      @Nullable Backup backup,
      SubscriberRegistry<?> subscribers) {
    this.config = config;
    this.intake = intake;
    this.backup = backup;
    this.subscribers = subscribers;
  }

  /** Checks all changes, and then makes them; if a value cannot be, nothing has changed. */
  void apply(Changes changes) {
    changing.lock();
    try {
      Settings before = config.settings();
      Settings after = config.changed(changes.queue());
      List<SubscriberConfig> others = new ArrayList<>();
      changes.subscribers().forEach((name, change) -> others.add(changed(name, change)));
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
