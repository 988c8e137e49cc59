package com.wookler.river.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.testing.KilledCopy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;
import org.awaitility.core.ConditionTimeoutException;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random histories of an outbox whose database fails and cuts connections, whose relay ends and
 * begins, and whose queue is closed and killed: what was committed is in the queue once, what was
 * committed in a row in that order, what was rolled back nowhere.
 */
@Timeout(600)
class OutboxHistoriesTest {
  private static final long HISTORIES = Long.getLong("river.outbox.histories", 3);
  private static final int STEPS = 60;
  private static final int FAULTS = 30; // one call in so many

  @TempDir Path directory;

  private final Outbox<String> outbox = new Outbox<>("orders", MessageConverter.utf8());
  private final List<Integer> committed = new ArrayList<>(); // at once
  private final Set<Integer> late = new HashSet<>(); // in a transaction beside those
  private final Set<Integer> waiting = new HashSet<>(); // in one that is under way
  private final JdbcDataSource database = new JdbcDataSource();
  private Random random;
  private Path base;
  private Connection first;
  private Connection second;
  private FaultySource faulty;
  private MessageQueue<String> queue;
  private OutboxRelay<String> relay;
  private int numbers;
  private int kills;

  static LongStream seeds() {
    return LongStream.rangeClosed(1, HISTORIES);
  }

  @AfterEach
  void close() throws SQLException {
    relay.close();
    queue.close();
    second.close();
    try (Statement statement = first.createStatement()) {
      statement.execute("shutdown");
    }
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void shouldMoveWhatWasCommittedOnceAndInOrder(long seed) throws Exception {
    random = new Random(seed);
    base = Files.createDirectory(directory.resolve("0"));
    database.setURL("jdbc:h2:mem:histories-" + seed + ";LOCK_TIMEOUT=20000;DB_CLOSE_DELAY=-1");
    first = connect();
    second = connect();
    outbox.createTables(first);
    first.commit();
    open();
    for (int i = 0; i < STEPS; i++) {
      step(random.nextInt(16));
    }
    commitLate();
    faulty.stop();
    faulty.abort(); // of which one may be waiting
    await().atMost(Duration.ofMinutes(1)).until(this::isEmpty);
    check();
  }

  private void step(int what) throws Exception {
    switch (what) {
      case 0, 1, 2, 3, 4 -> {
        List<Integer> written = write(first);
        first.commit();
        committed.addAll(written);
      }
      case 5 -> {
        write(first);
        first.rollback();
      }
      case 6, 7 -> waiting.addAll(write(second));
      case 8 -> commitLate();
      case 9 -> {
        second.rollback();
        waiting.clear();
      }
      case 10 -> faulty.abort();
      case 11 -> {
        relay.close();
        startRelay();
      }
      case 12 -> {
        relay.close();
        queue.close();
        open();
      }
      case 13 -> kill();
      default -> {
        long end = queue.stats().nextSequence() + random.nextInt(20);
        try {
          await()
              .atMost(Duration.ofMillis(300))
              .until(() -> queue.stats().nextSequence() >= end || isEmpty());
        } catch (ConditionTimeoutException e) { // after a failure the relay pauses for longer
          return;
        }
      }
    }
  }

  private List<Integer> write(Connection connection) throws SQLException {
    List<Integer> written = new ArrayList<>();
    List<Message<String>> messages = new ArrayList<>();
    for (int i = random.nextInt(20); i >= 0; i--) {
      written.add(numbers);
      messages.add(Message.of(String.valueOf(numbers++)));
    }
    outbox.writeAll(connection, messages);
    return written;
  }

  private void commitLate() throws SQLException {
    second.commit();
    late.addAll(waiting);
    waiting.clear();
  }

  /** Continues with the queue's files as they are once the relay has no connection any more. */
  private void kill() throws Exception {
    faulty.failAlways();
    faulty.abort();
    Path left = directory.resolve(String.valueOf(++kills));
    KilledCopy.whole(base, left);
    relay.close();
    queue.close();
    base = left;
    open();
  }

  private void open() {
    queue =
        MessageQueue.builder("orders", MessageConverter.utf8())
            .directory(base)
            .blockBytes(256 << 10)
            .maxMessageBytes(16 << 10)
            .open();
    startRelay();
  }

  private void startRelay() {
    faulty = new FaultySource(database, FAULTS, random.nextLong());
    relay =
        OutboxRelay.builder(queue, MessageConverter.utf8(), faulty.source())
            .poll(Duration.ofMillis(2))
            .lease(Duration.ZERO)
            .pause(Duration.ofMillis(100))
            .batchMessages(7)
            .start();
  }

  private Connection connect() throws SQLException {
    Connection made = database.getConnection();
    made.setAutoCommit(false);
    return made;
  }

  private boolean isEmpty() throws SQLException {
    try (Statement statement = first.createStatement();
        ResultSet rows = statement.executeQuery("select count(*) from " + Outbox.DEFAULT_TABLE)) {
      boolean empty = rows.next() && rows.getInt(1) == 0;
      first.commit();
      return empty;
    }
  }

  private void check() {
    List<Integer> found =
        queue.read(0, Integer.MAX_VALUE).stream()
            .map(Delivery::data)
            .map(Integer::valueOf)
            .toList();
    List<Integer> all = new ArrayList<>(committed);
    all.addAll(late);
    assertThat(found).containsExactlyInAnyOrderElementsOf(all);
    assertThat(found.stream().filter(number -> !late.contains(number)).toList())
        .isEqualTo(committed);
  }
}
