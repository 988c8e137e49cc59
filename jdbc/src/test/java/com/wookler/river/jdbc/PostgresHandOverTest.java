package com.wookler.river.jdbc;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import org.junit.jupiter.api.BeforeAll;

/**
 * With PostgreSQL: that of the JDBC URL in the environment variable RIVER_POSTGRES_URL, which
 * {@code .ci/run} sets for a cluster of its own. Tables of the test are made anew there.
 */
class PostgresHandOverTest extends HandOverContract {
  private static final String URL = System.getenv("RIVER_POSTGRES_URL");

  @BeforeAll
  static void needsPostgres() {
    assumeTrue(URL != null && !URL.isBlank(), "SKIPPED: RIVER_POSTGRES_URL names no database");
  }

  @Override
  Connection connect() throws SQLException {
    Connection connection = DriverManager.getConnection(URL);
    connection.setAutoCommit(false);
    return connection;
  }
}
