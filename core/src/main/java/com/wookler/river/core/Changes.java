package com.wookler.river.core;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.settings.Option;
import com.wookler.river.common.settings.OptionTable;
import com.wookler.river.common.settings.Settings;
import com.wookler.river.core.subscriber.SubscriberOptions;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Collects changes of options for {@link MessageQueue#reconfigure}; null stands for the default. An
 * option that cannot change while a queue runs, as {@link QueueOptions} and {@link
 * SubscriberOptions} say, is refused with {@link ConfigurationException}. Not thread-safe.
 */
public final class Changes {
  private UnaryOperator<Settings> queue = UnaryOperator.identity();
  private final Map<String, UnaryOperator<Settings>> subscribers = new LinkedHashMap<>();

  Changes() {}

  /** Changes an option of the queue or of its backup. */
  public <T> Changes set(Option<T> option, @Nullable T value) {
    UnaryOperator<Settings> before = queue;
    UnaryOperator<Settings> change = change(QueueOptions.TABLE, option, value);
    queue = settings -> change.apply(before.apply(settings));
    return this;
  }

  /** Changes the options of the queue whose values differ. */
  public Changes set(Settings before, Settings after) {
    QueueOptions.TABLE.rows().forEach(row -> set(row, before, after));
    return this;
  }

  private <T> void set(Option<T> row, Settings before, Settings after) {
    if (!row.isAlias() && !Objects.equals(before.find(row), after.find(row))) {
      set(row, after.find(row));
    }
  }

  /** Changes the options of a subscriber whose values differ. */
  public Changes subscriber(String name, Settings before, Settings after) {
    SubscriberOptions.TABLE.rows().forEach(row -> subscriber(name, row, before, after));
    return this;
  }

  private <T> void subscriber(String name, Option<T> row, Settings before, Settings after) {
    if (!row.isAlias() && !Objects.equals(before.find(row), after.find(row))) {
      subscriber(name, row, after.find(row));
    }
  }

  /** Changes an option of a subscriber, which may be open or closed. */
  public <T> Changes subscriber(String name, Option<T> option, @Nullable T value) {
    UnaryOperator<Settings> change = change(SubscriberOptions.TABLE, option, value);
    UnaryOperator<Settings> before = subscribers.getOrDefault(name, UnaryOperator.identity());
    subscribers.put(name, settings -> change.apply(before.apply(settings)));
    return this;
  }

  private static <T> UnaryOperator<Settings> change(
      OptionTable table, Option<T> option, @Nullable T value) {
    if (table.row(option.name()).orElse(null) != option) {
      throw new ConfigurationException(option.name() + " is no option of a " + table);
    }
    if (option.change() != Option.Change.RUNNING) {
      throw new ConfigurationException(
          option.name() + " cannot change while the queue runs: it takes effect when it is opened");
    }
    return settings -> settings.with(option, value);
  }

  UnaryOperator<Settings> queue() {
    return queue;
  }

  /** Returns the changes of each subscriber, by its name. */
  Map<String, UnaryOperator<Settings>> subscribers() {
    return subscribers;
  }
}
