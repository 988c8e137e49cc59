package com.wookler.river.jdbc;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/**
 * A data source whose connections fail at random: before a call or after it, so that a commit may
 * have succeeded that reports a failure.
 */
final class FaultySource implements InvocationHandler {
  private final DataSource real;
  private final SplittableRandom random;
  private final AtomicInteger failures = new AtomicInteger();
  private final List<Connection> open = new CopyOnWriteArrayList<>();
  private volatile int oneIn;
  private volatile boolean changed; // a connection was closed otherwise than it was opened

  private final DataSource proxy =
      (DataSource)
          Proxy.newProxyInstance(
              FaultySource.class.getClassLoader(), new Class<?>[] {DataSource.class}, this);

  FaultySource(DataSource real, int oneIn, long seed) {
    this.real = real;
    this.oneIn = oneIn;
    this.random = new SplittableRandom(seed);
  }

  DataSource source() {
    return proxy;
  }

  void stop() {
    oneIn = 0;
  }

  void failAlways() {
    oneIn = 1;
  }

  int failures() {
    return failures.get();
  }

  /** Cuts all connections. */
  void abort() throws SQLException {
    for (Connection connection : open) {
      connection.abort(Runnable::run);
      connection.close(); // H2 does not abort
      failures.incrementAndGet();
    }
  }

  boolean closedAsTheyWere() {
    return open.isEmpty() && !changed;
  }

  @Override
  public Object invoke(Object self, Method method, Object[] arguments) throws Throwable {
    if (!method.getName().equals("getConnection")) {
      throw new UnsupportedOperationException(method.getName());
    }
    Connection connection = real.getConnection();
    int isolation = connection.getTransactionIsolation();
    open.add(connection);
    return Proxy.newProxyInstance(
        FaultySource.class.getClassLoader(),
        new Class<?>[] {Connection.class},
        (proxied, called, with) -> {
          if (called.getName().equals("close")) {
            close(connection, isolation);
            return null;
          }
          maybeFail(called, "before");
          Object result = call(connection, called, with);
          maybeFail(called, "after");
          return result;
        });
  }

  private void close(Connection connection, int isolation) throws SQLException {
    if (open.remove(connection) && !connection.isClosed()) {
      changed |= !connection.getAutoCommit() || connection.getTransactionIsolation() != isolation;
    }
    connection.close();
  }

  private void maybeFail(Method called, String when) throws SQLException {
    boolean matters = List.of("commit", "prepareStatement").contains(called.getName());
    if (matters && oneIn > 0 && random.nextInt(oneIn) == 0) {
      failures.incrementAndGet();
      throw new SQLException("failed " + when + " " + called.getName(), "08006");
    }
  }

  private static Object call(Connection connection, Method called, Object[] with) throws Throwable {
    try {
      return called.invoke(connection, with);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }
}
