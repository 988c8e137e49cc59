package com.wookler.river.jdbc;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.io.TempDir;

/** With a file of H2. */
class H2HandOverTest extends HandOverContract {
  @TempDir static Path databases;

  @Override
  Connection connect() throws SQLException {
    return database();
  }

  private static Connection database() throws SQLException {
    Connection connection =
        DriverManager.getConnection(
            "jdbc:h2:file:"
                + databases.resolve("database")
                + ";LOCK_TIMEOUT=20000;DB_CLOSE_DELAY=-1");
    connection.setAutoCommit(false);
    return connection;
  }

  @AfterAll
  static void shutDown() throws SQLException {
    try (Connection connection = database();
        Statement statement = connection.createStatement()) {
      statement.execute("shutdown");
    }
  }
}
