package com.wookler.river.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/**
 * Waits for the notifications of PostgreSQL on a connection without a transaction, by methods of
 * its driver that {@code java.sql} does not have. They are found at run time, so that no driver is
 * needed here; without that driver a relay polls.
 */
final class PostgresNotifications {
  private final Connection connection;
  private final Object driver;
  private final Method await;
  private final Method parameter;
  private final String channel;
  private final String queue;

  private PostgresNotifications(
      Connection connection, Class<?> type, Class<?> notification, String channel, String queue)
      throws SQLException, NoSuchMethodException {
    this.connection = connection;
    this.driver = connection.unwrap(type);
    this.await = type.getMethod("getNotifications", int.class);
    this.parameter = notification.getMethod("getParameter");
    this.channel = channel;
    this.queue = queue;
  }

  /** Begins to listen; null if the connection is not of PostgreSQL's own driver. */
  static @Nullable PostgresNotifications listen(Connection connection, String table, String queue)
      throws SQLException {
    try {
      Class<?> type = Class.forName("org.postgresql.PGConnection");
      if (!connection.isWrapperFor(type)) {
        return null;
      }
      PostgresNotifications notifications =
          new PostgresNotifications(
              connection,
              type,
              Class.forName("org.postgresql.PGNotification"),
              OutboxDialect.channel(table),
              queue);
      notifications.run("listen ");
      return notifications;
    } catch (ClassNotFoundException | NoSuchMethodException e) {
      return null;
    }
  }

  private void run(String command) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(command + channel);
    }
    connection.commit();
  }

  /** Waits so long, or until there is a message for the queue; returns whether there is one. */
  boolean await(int millis) throws SQLException {
    Object[] notifications = (Object[]) call(await, driver, Math.max(1, millis));
    if (notifications != null) {
      for (Object notification : notifications) {
        if (queue.equals(call(parameter, notification))) {
          return true;
        }
      }
    }
    return false;
  }

  private static @Nullable Object call(Method method, Object of, Object... arguments)
      throws SQLException {
    try {
      return method.invoke(of, arguments);
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof SQLException cause) {
        throw cause;
      }
      throw new IllegalStateException("PostgreSQL's driver fails", e.getCause());
    } catch (IllegalAccessException e) {
      throw new IllegalStateException("PostgreSQL's driver has other methods than expected", e);
    }
  }

  /** Ends to listen: a pool would keep a connection that collects notifications. */
  void close() throws SQLException {
    run("unlisten ");
  }
}
