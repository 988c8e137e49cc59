package com.wookler.river.jdbc;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.sql.SQLException;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeAll;
import org.mariadb.jdbc.MariaDbDataSource;

/**
 * With MariaDB: that of the JDBC URL in the environment variable RIVER_MARIADB_URL, which {@code
 * .ci/run} sets for a server of its own. Tables of the test are made anew there.
 */
class MariadbOutboxTest extends OutboxContract {
  private static final String URL = System.getenv("RIVER_MARIADB_URL");

  @BeforeAll
  static void needsMariadb() {
    assumeTrue(URL != null && !URL.isBlank(), "SKIPPED: RIVER_MARIADB_URL names no database");
  }

  @Override
  DataSource database() {
    try {
      return new MariaDbDataSource(URL);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
