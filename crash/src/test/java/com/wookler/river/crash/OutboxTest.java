package com.wookler.river.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.wookler.river.common.MonitoredThread;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.jdbc.Outbox;
import com.wookler.river.jdbc.OutboxRelay;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** SIGKILL of a relay, and its database ended, while messages are written and moved. */
@Tag("full")
class OutboxTest {
  private final Outbox<String> outbox = new Outbox<>("orders", MessageConverter.utf8());

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  Path root;

  private volatile boolean stopped;

  @Test
  void shouldMoveEachMessageOnceAcrossKills() throws Exception {
    try (OutboxDatabase database = OutboxDatabase.ofH2(root)) {
      moveAcrossKills(database);
    }
  }

  @Test
  void shouldMoveEachMessageOnceAcrossRestartsOfPostgres() throws Exception {
    Optional<OutboxDatabase> installed = OutboxDatabase.ofPostgres();
    assumeTrue(installed.isPresent(), "SKIPPED: there is no PostgreSQL");
    try (OutboxDatabase database = installed.get()) {
      moveAcrossKills(database);
    }
  }

  private void moveAcrossKills(OutboxDatabase database) throws Exception {
    SplittableRandom random = new SplittableRandom(Counts.seed(OutboxTest.class));
    Path data = Files.createDirectory(root.resolve("data"));
    MonitoredThread writer = new MonitoredThread("writer", () -> write(database.url()));
    writer.start();
    try {
      for (int round = 0; round < Counts.KILLS; round++) {
        Path begun = root.resolve("begun" + round);
        try (ChildProcess relay = relay(database, data, begun)) {
          Waiting.file(begun, relay);
          Waiting.alive(Duration.ofMillis(random.nextInt(200)), relay);
          if (round % 2 == 1) {
            database.restart();
            Waiting.alive(Duration.ofMillis(random.nextInt(1000)), relay);
          }
          assertThat(relay.kill()).isEqualTo(ChildProcess.KILLED);
        }
      }
    } finally {
      stopped = true;
      writer.join();
    }
    try (MessageQueue<String> queue = OutboxChild.open(data)) {
      moveTheRest(queue, database.url());
      assertThat(received(queue))
          .isEqualTo(numbers("select number from written order by number", database.url()))
          .hasSizeGreaterThan(10 * Counts.KILLS);
    }
  }

  private ChildProcess relay(OutboxDatabase database, Path data, Path begun) throws IOException {
    return ChildProcess.start(
        OutboxChild.class,
        root.resolve("output-" + begun.getFileName()),
        ChildProcess.Launch.PLAIN,
        data.toString(),
        database.url(),
        begun.toString());
  }

  /** Writes numbers, each into a table and into the outbox; some transactions are rolled back. */
  private void write(String url) {
    long number = 0;
    while (!stopped) {
      try (Connection connection = OutboxChild.connect(url)) {
        createTables(connection);
        while (!stopped) {
          number = writeOne(connection, number);
        }
      } catch (Exception e) { // the database was ended, or is not there yet
        number += 10; // whether the last transaction was committed is not known here
        LockSupport.parkNanos(Duration.ofMillis(10).toNanos());
      }
    }
  }

  private void createTables(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("create table if not exists written (number bigint)");
    }
    outbox.createTables(connection);
    connection.commit();
  }

  private long writeOne(Connection connection, long from) throws SQLException {
    long next = from;
    List<Message<String>> messages = new ArrayList<>();
    try (PreparedStatement statement =
        connection.prepareStatement("insert into written (number) values (?)")) {
      for (; next <= from + from % 5; next++) {
        statement.setLong(1, next);
        statement.executeUpdate();
        messages.add(Message.of(String.valueOf(next)));
      }
    }
    outbox.writeAll(connection, messages);
    if (from % 7 == 3) {
      connection.rollback();
    } else {
      connection.commit();
    }
    return next;
  }

  private static void moveTheRest(MessageQueue<String> queue, String url) throws Exception {
    try (OutboxRelay<String> relay = OutboxChild.relay(queue, url).batchMessages(500).start()) {
      boolean empty =
          Waiting.until(
              Waiting.RESUMED,
              () -> numbersQuietly("select count(*) from river_outbox", url).equals(List.of("0")));
      assertThat(empty).as(relay.stats().toString()).isTrue();
    }
  }

  private static List<String> numbersQuietly(String select, String url) throws IOException {
    try {
      return numbers(select, url);
    } catch (Exception e) {
      throw new IOException(e);
    }
  }

  private static List<String> numbers(String select, String url) throws Exception {
    List<String> numbers = new ArrayList<>();
    try (Connection connection = OutboxChild.connect(url);
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(select)) {
      while (rows.next()) {
        numbers.add(rows.getString(1));
      }
    }
    return numbers;
  }

  private static List<String> received(MessageQueue<String> queue) throws InterruptedException {
    Subscriber<String> all = queue.subscriber("all");
    List<String> data = new ArrayList<>();
    for (List<Delivery<String>> batch = all.batch(1000, Duration.ZERO);
        !batch.isEmpty();
        batch = all.batch(1000, Duration.ZERO)) {
      batch.forEach(each -> data.add(each.data()));
    }
    return data;
  }
}
