package com.wookler.river.jdbc;

import com.wookler.river.common.config.ConfigNode;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.settings.Settings;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.River;
import com.wookler.river.core.RiverExtension;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/** Starts an {@link OutboxRelay} for each {@code <outbox queue="…">} of a file. */
public final class OutboxExtension implements RiverExtension {
  /** For {@link java.util.ServiceLoader}. */
  public OutboxExtension() {}

  @Override
  public String element() {
    return "outbox";
  }

  @Override
  public AutoCloseable start(ConfigNode element, ConfigNode root, River river) {
    element.allowAttributes(List.of("queue"));
    element.allowChildren(List.of("params"));
    String name = element.requireAttribute("queue");
    Settings settings =
        OutboxOptions.TABLE.read(element, OutboxOptions.TABLE.defaults(), List.of());
    String url = element.requireParam(OutboxOptions.URL.name());
    requireDriver(element, url);
    if (!river.queues().containsKey(name)) {
      throw element.error("there is no <queue name=\"" + name + "\"> here");
    }
    Properties login = new Properties();
    set(login, "user", settings.find(OutboxOptions.USER));
    set(login, "password", settings.find(OutboxOptions.PASSWORD));
    try {
      return relay(river.queue(name), url, login).settings(settings).start();
    } catch (ConfigurationException e) {
      throw element.located(e);
    }
  }

  private static void requireDriver(ConfigNode element, String url) {
    try {
      DriverManager.getDriver(url);
    } catch (SQLException e) {
      String shown = url.replaceAll("^(jdbc:[a-z0-9]+:)?.*", "$1…"); // it may have a password
      throw element.error(
          OutboxOptions.URL.name(), "no driver on the class path takes a URL such as " + shown);
    }
  }

  private static void set(Properties login, String name, @Nullable String value) {
    if (value != null) {
      login.setProperty(name, value);
    }
  }

  private static OutboxRelay.Builder<Object> relay(
      MessageQueue<Object> queue, String url, Properties login) {
    return new OutboxRelay.Builder<>(
        queue, queue.converter(), () -> DriverManager.getConnection(url, login));
  }
}
