package com.wookler.river.crash;

import com.wookler.river.common.MonitoredThread;
import com.wookler.river.core.FullPolicy;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.jdbc.PositionStore;
import com.wookler.river.jdbc.StoredPosition;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;

/**
 * Publishes, and hands over to a file of H2, until it is killed; told to finish, it hands over what
 * there is and ends.
 *
 * <p>Arguments: directory, a file that it makes when the first batch is through, "finish" or "run".
 */
final class HandOverChild {
  private static final int BATCH = 5;

  private HandOverChild() {}

  static String url(Path directory) {
    return "jdbc:h2:file:" + directory.resolve("database") + ";WRITE_DELAY=0";
  }

  static MessageQueue<String> open(Path directory) {
    return MessageQueue.builder("orders", MessageConverter.utf8())
        .directory(directory)
        .maxMessages(200)
        .whenFull(FullPolicy.BLOCK, Duration.ofMinutes(1))
        .open();
  }

  public static void main(String[] args) throws Exception {
    Path directory = Path.of(args[0]);
    boolean finish = args[2].equals("finish");
    try (MessageQueue<String> queue = open(directory);
        Connection connection = DriverManager.getConnection(url(directory))) {
      connection.setAutoCommit(false);
      if (!finish) {
        new MonitoredThread("publisher", () -> publish(queue)).start();
      }
      handOver(queue, connection, finish, Path.of(args[1]));
    }
  }

  private static void publish(MessageQueue<String> queue) {
    for (long i = queue.stats().nextSequence(); ; i++) {
      queue.publisher().publish("message " + i);
    }
  }

  private static void handOver(
      MessageQueue<String> queue, Connection connection, boolean finish, Path begun)
      throws Exception {
    PositionStore positions = new PositionStore();
    positions.createTable(connection);
    try (Statement statement = connection.createStatement()) {
      statement.execute("create table if not exists taken (sequence bigint, data varchar(100))");
    }
    Subscriber<String> billing =
        queue.subscriber(SubscriberConfig.builder("billing").ack(true).build());
    StoredPosition<String> position = positions.claim(connection, queue, billing);
    connection.commit();
    while (!finish || billing.stats().lag() > 0) {
      List<Delivery<String>> batch = billing.batch(finish ? 1000 : BATCH, Duration.ofMillis(100));
      insert(connection, position.advance(connection, batch));
      connection.commit();
      billing.ack(batch);
      if (!batch.isEmpty() && !Files.exists(begun)) {
        Files.createFile(begun);
      }
    }
  }

  private static void insert(Connection connection, List<Delivery<String>> batch)
      throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement("insert into taken (sequence, data) values (?, ?)")) {
      for (Delivery<String> delivery : batch) {
        statement.setLong(1, delivery.sequence());
        statement.setString(2, delivery.data());
        statement.addBatch();
      }
      statement.executeBatch();
    }
  }
}
