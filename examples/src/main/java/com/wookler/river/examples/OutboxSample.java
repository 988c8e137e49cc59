package com.wookler.river.examples;

import com.wookler.river.common.TimeSource;
import com.wookler.river.common.config.ConfigNode;
import com.wookler.river.common.config.ConfigParser;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.River;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.examples.utils.Progress;
import com.wookler.river.examples.utils.StringMessageConverter;
import com.wookler.river.examples.utils.Workers;
import com.wookler.river.jdbc.Outbox;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Threads insert orders into a database and write a message about each into the outbox, in one
 * transaction; one transaction of ten is rolled back. The outbox of the configuration moves the
 * messages into the queue. At the end the queue has had a message about each order that is in the
 * database, and about no other.
 */
public final class OutboxSample implements Example {
  private static final Logger LOG = LoggerFactory.getLogger(OutboxSample.class);
  private static final String QUEUE = "TEST-RIVER-OUTBOX";
  private static final int ROLLED_BACK = 10; // one transaction in ten

  private final Outbox<String> outbox = new Outbox<>(QUEUE, new StringMessageConverter());
  private final LongAdder written = new LongAdder();
  private final TimeSource time = TimeSource.system();

  @Override
  public long defaultCount() {
    return 10_000;
  }

  @Override
  public void run(ExampleOptions options) throws Exception {
    ConfigNode root = ConfigParser.parse(options.config());
    String url = root.at("outbox").requireParam("outbox.url");
    try (River river = River.open(options.config());
        Connection connection = DriverManager.getConnection(url)) {
      createTables(connection);
      MessageQueue<String> queue = river.queue(QUEUE);
      long start = time.nanoTime();
      Workers workers = new Workers();
      for (int i = 0; i < options.producers(); i++) {
        long first = i * options.count() / options.producers();
        long end = (i + 1) * options.count() / options.producers();
        workers.start("ORDERS-" + i, () -> write(url, first, end));
      }
      Set<String> received = receive(queue.subscriber("TEST-ORDERS"), workers, options.count());
      workers.join();
      LOG.info(
          "Moved [{}] messages in {} ms",
          received.size(),
          Duration.ofNanos(time.nanoTime() - start).toMillis());
      compare(received, connection);
    }
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute("shutdown");
    }
  }

  private void createTables(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("create table if not exists placed (number varchar(20) primary key)");
    }
    outbox.createTables(connection);
  }

  private void write(String url, long first, long end) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        PreparedStatement statement =
            connection.prepareStatement("insert into placed (number) values (?)")) {
      connection.setAutoCommit(false);
      for (long i = first; i < end; i++) {
        statement.setString(1, "order " + i);
        statement.executeUpdate();
        outbox.write(connection, Message.of("order " + i).withKey("customer " + i % 100));
        if (i % ROLLED_BACK == 0) {
          connection.rollback();
        } else {
          connection.commit();
          written.increment();
        }
      }
    }
  }

  /** Takes messages until all threads have ended and what they have written is here. */
  private Set<String> receive(Subscriber<String> subscriber, Workers workers, long count)
      throws InterruptedException {
    Set<String> received = new HashSet<>();
    try (Progress progress = Progress.of("Messages", count)) {
      while (workers.running() || received.size() < written.sum()) {
        for (Delivery<String> delivery : subscriber.batch(1000, Duration.ofMillis(100))) {
          if (!received.add(delivery.data())) {
            throw new IllegalStateException(delivery.data() + " came twice");
          }
        }
        progress.to(received.size());
      }
    }
    return received;
  }

  private static void compare(Set<String> received, Connection connection) throws SQLException {
    Set<String> placed = new HashSet<>();
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("select number from placed")) {
      while (rows.next()) {
        placed.add(rows.getString(1));
      }
    }
    LOG.info("The database has [{}] orders", placed.size());
    if (!placed.equals(received)) {
      throw new IllegalStateException("the queue did not have one message about each order");
    }
  }
}
