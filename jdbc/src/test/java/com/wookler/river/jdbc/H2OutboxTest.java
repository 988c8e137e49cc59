package com.wookler.river.jdbc;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.io.TempDir;

/** With a file of H2. */
class H2OutboxTest extends OutboxContract {
  @TempDir static Path databases;

  @Override
  DataSource database() {
    return source();
  }

  private static DataSource source() {
    JdbcDataSource source = new JdbcDataSource();
    source.setURL(
        "jdbc:h2:file:" + databases.resolve("database") + ";LOCK_TIMEOUT=20000;DB_CLOSE_DELAY=-1");
    return source;
  }

  @AfterAll
  static void shutDown() throws SQLException {
    try (Connection connection = source().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("shutdown");
    }
  }
}
