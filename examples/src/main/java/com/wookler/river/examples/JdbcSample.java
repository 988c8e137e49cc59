package com.wookler.river.examples;

import com.wookler.river.common.Env;
import com.wookler.river.common.TimeSource;
import com.wookler.river.common.config.ConfigNode;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.examples.utils.Progress;
import com.wookler.river.examples.utils.UsageException;
import com.wookler.river.examples.utils.Workers;
import com.wookler.river.jdbc.PositionStore;
import com.wookler.river.jdbc.StoredPosition;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Producers publish, and one consumer transfers every message to a database exactly once: the
 * subscriber's position is updated in the transaction of the inserts. After a restart, also after a
 * kill, it continues at the position in the database. It ends when the database has every message,
 * and counts them.
 */
public final class JdbcSample implements Example {
  private static final Logger LOG = LoggerFactory.getLogger(JdbcSample.class);
  private static final String DATABASE = "river.database";
  private static final String SUBSCRIBER = "TEST-DATABASE";

  private final MessageQueue<String> queue = new MessageQueue<>();
  private final PositionStore positions = new PositionStore();
  private final TimeSource time = TimeSource.system();

  @Override
  public long defaultCount() {
    return 100_000; // in each run: the data is kept, so that a run continues the previous one
  }

  @Override
  public void run(ExampleOptions options) throws Exception {
    Env.create(options.config(), SampleConstants.CONFIG_PATH);
    try (queue;
        Connection connection =
            DriverManager.getConnection(node(options, DATABASE).requireParam("database.url"))) {
      queue.configure(node(options, SampleConstants.CONFIG_PATH_QUEUE));
      queue.start();
      connection.setAutoCommit(false);
      createTables(connection);
      work(options, connection);
      count(connection);
    } finally {
      Env.reset();
    }
  }

  private static ConfigNode node(ExampleOptions options, String path) {
    ConfigNode node = Env.get().config().search(path);
    if (node == null) {
      throw new UsageException(options.config() + ": there is nothing at " + path);
    }
    return node;
  }

  private void createTables(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      // No primary key: the position alone must prevent duplicates.
      statement.execute("create table if not exists event (sequence bigint, data varchar(65536))");
    }
    positions.createTable(connection);
    connection.commit();
  }

  private void work(ExampleOptions options, Connection connection) throws Exception {
    Subscriber<String> subscriber = queue.subscriber(SUBSCRIBER);
    StoredPosition<String> position = positions.claim(connection, queue, subscriber);
    connection.commit();
    long start = time.nanoTime();
    Workers workers = new Workers();
    SampleProducers producers = new SampleProducers(options);
    producers.start(workers, queue.publisher());
    long transferred = 0;
    try (Progress progress = Progress.of("Messages", options.count())) {
      while (workers.running() || subscriber.stats().lag() > 0) {
        transferred += transferBatch(connection, subscriber, position);
        progress.to(Math.min(options.count(), transferred));
      }
    }
    workers.join();
    LOG.info(
        "Transferred [{}] messages in {} ms",
        transferred,
        Duration.ofNanos(time.nanoTime() - start).toMillis());
  }

  /** Transfers a batch in one transaction. */
  private static int transferBatch(
      Connection connection, Subscriber<String> subscriber, StoredPosition<String> position)
      throws InterruptedException, SQLException {
    List<Delivery<String>> batch = subscriber.batch();
    try {
      List<Delivery<String>> fresh = position.advance(connection, batch);
      insert(connection, fresh);
      connection.commit();
      subscriber.ack(batch);
      return fresh.size();
    } catch (SQLException e) {
      LOG.warn("Rolled back and retried: {}", e.toString());
      connection.rollback();
      position.resume(connection);
      connection.commit();
      return 0;
    }
  }

  private static void insert(Connection connection, List<Delivery<String>> deliveries)
      throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement("insert into event (sequence, data) values (?, ?)")) {
      for (Delivery<String> delivery : deliveries) {
        statement.setLong(1, delivery.sequence());
        statement.setString(2, delivery.data());
        statement.addBatch();
      }
      statement.executeBatch();
    }
  }

  private void count(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet counted =
            statement.executeQuery("select count(*), count(distinct sequence) from event")) {
      counted.next();
      long published = queue.stats().nextSequence();
      LOG.info(
          "The database has [{}] messages, [{}] different ones, of [{}] published",
          counted.getLong(1),
          counted.getLong(2),
          published);
      if (counted.getLong(1) != published || counted.getLong(2) != published) {
        throw new IllegalStateException("the database does not have each message once");
      }
    }
  }
}
