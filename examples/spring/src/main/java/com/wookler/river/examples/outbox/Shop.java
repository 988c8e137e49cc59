package com.wookler.river.examples.outbox;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.Message;
import com.wookler.river.jdbc.Outbox;
import com.wookler.river.spring.RiverListener;
import com.wookler.river.spring.RiverQueues;
import java.sql.Connection;
import java.util.List;
import javax.sql.DataSource;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

/**
 * An outbox in a Spring Boot application with PostgreSQL: an order and the message about it are one
 * transaction, both or neither, and the message reaches the queue and its listener, also if the
 * process is killed at any moment.
 *
 * <p>The application has {@code spring-boot-starter-jdbc}, {@code river-jdbc} and the driver,
 * {@code spring.datasource.url=jdbc:postgresql://localhost/shop}, and tables that its migrations
 * make:
 *
 * <pre>{@code
 * create table orders (number bigint primary key, customer varchar(80) not null);
 * create table invoices (number bigint primary key, customer varchar(80) not null)
 * }</pre>
 */
@SpringBootConfiguration
@EnableAutoConfiguration
public class Shop {

  /** An order, and the message about it. */
  public record Order(long number, String customer) {}

  @Bean
  MessageQueue<Order> orders(RiverQueues queues) {
    return queues.open("orders", Order.class);
  }

  /** Makes its tables if they are missing, and moves what is committed into the queue. */
  @Bean
  Outbox<Order> outbox(DataSource dataSource, MessageQueue<Order> orders) {
    return Outbox.on(dataSource).queue(orders).start();
  }

  @Bean
  Orders service(JdbcTemplate database, Outbox<Order> outbox) {
    return new Orders(database, outbox);
  }

  @Bean
  Billing billing(JdbcTemplate database) {
    return new Billing(database);
  }

  /** Takes orders. */
  public static class Orders {
    private final JdbcTemplate database;
    private final Outbox<Order> outbox;

    Orders(JdbcTemplate database, Outbox<Order> outbox) {
      this.database = database;
      this.outbox = outbox;
    }

    /** Stores orders and messages about them, all or none. */
    @Transactional
    public void buy(List<Order> bought) {
      for (Order order : bought) {
        database.update(
            "insert into orders (number, customer) values (?, ?)",
            order.number(),
            order.customer());
        write(Message.of(order).withKey(order.customer()));
      }
    }

    private void write(Message<Order> message) {
      ConnectionCallback<Boolean> write =
          (Connection connection) -> { // that of the transaction
            outbox.write(connection, message);
            return true;
          };
      database.execute(write);
    }
  }

  /** Makes an invoice for each order, once, though an order may come again after a kill. */
  static class Billing {
    private final JdbcTemplate database;

    Billing(JdbcTemplate database) {
      this.database = database;
    }

    @RiverListener(queue = "orders", subscriber = "billing", backoff = "exponential 1ss 1mm")
    @Transactional
    public void on(Order order) {
      database.update(
          "insert into invoices (number, customer) select ?, ?"
              + " where not exists (select 1 from invoices where number = ?)",
          order.number(),
          order.customer(),
          order.number());
    }
  }
}
