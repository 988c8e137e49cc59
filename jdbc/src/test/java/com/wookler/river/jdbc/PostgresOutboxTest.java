package com.wookler.river.jdbc;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeAll;
import org.postgresql.ds.PGSimpleDataSource;

/** With PostgreSQL, as {@link PostgresHandOverTest}. */
class PostgresOutboxTest extends OutboxContract {
  private static final String URL = System.getenv("RIVER_POSTGRES_URL");

  @BeforeAll
  static void needsPostgres() {
    assumeTrue(URL != null && !URL.isBlank(), "SKIPPED: RIVER_POSTGRES_URL names no database");
  }

  @Override
  DataSource database() {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setURL(URL);
    return source;
  }

  @Override
  boolean notifies() {
    return true;
  }
}
