package com.wookler.river.examples.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.wookler.river.examples.outbox.Shop.Order;
import com.wookler.river.examples.outbox.Shop.Orders;
import com.wookler.river.jdbc.Outbox;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** Runs the class to copy, with H2 and with PostgreSQL. */
class ShopTest {
  private static final String POSTGRES = System.getenv("RIVER_POSTGRES_URL");
  @TempDir Path directory;

  @Test
  void shouldMakeAnInvoiceForEachOrderWithH2() {
    shouldMakeAnInvoiceForEachOrder("jdbc:h2:" + directory.resolve("shop"));
  }

  @Test
  void shouldMakeAnInvoiceForEachOrderWithPostgres() {
    assumeTrue(
        POSTGRES != null && !POSTGRES.isBlank(), "SKIPPED: RIVER_POSTGRES_URL names no database");
    JdbcTemplate database = new JdbcTemplate(new DriverManagerDataSource(POSTGRES));
    database.execute("create schema shop");
    try {
      shouldMakeAnInvoiceForEachOrder(POSTGRES + "&currentSchema=shop");
    } finally {
      database.execute("drop schema shop cascade");
    }
  }

  private void shouldMakeAnInvoiceForEachOrder(String url) {
    JdbcTemplate database = new JdbcTemplate(new DriverManagerDataSource(url));
    for (String table : List.of("orders", "invoices")) {
      database.execute(
          "create table " + table + " (number bigint primary key, customer varchar(80) not null)");
    }
    try (ConfigurableApplicationContext shop = start(url)) {
      Orders orders = shop.getBean(Orders.class);
      orders.buy(List.of(new Order(1, "Ada"), new Order(2, "Bob")));
      assertThatThrownBy(() -> orders.buy(List.of(new Order(3, "Cyd"), new Order(1, "Ada"))))
          .isInstanceOf(DuplicateKeyException.class);
      await().until(() -> invoices(database).size() == 2);
    }
    try (ConfigurableApplicationContext shop = start(url)) {
      shop.getBean(Orders.class).buy(List.of(new Order(4, "Dan")));
      await().until(() -> invoices(database).contains(4L));
    }
    assertThat(invoices(database)).containsExactly(1L, 2L, 4L); // 3 was rolled back
    assertThat(database.queryForObject("select count(*) from " + Outbox.DEFAULT_TABLE, Long.class))
        .isZero();
  }

  /** As an application that has no pool of connections. */
  private ConfigurableApplicationContext start(String url) {
    return SpringApplication.run(
        Shop.class,
        "--spring.datasource.url=" + url,
        "--spring.datasource.type=" + DriverManagerDataSource.class.getName(),
        "--river.directory=" + directory.resolve("river"));
  }

  private static List<Long> invoices(JdbcTemplate database) {
    return database.queryForList("select number from invoices order by number", Long.class);
  }
}
