package com.wookler.river.jdbc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.MonitoredThread;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.FullPolicy;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.message.QueueStatus;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What holds for an outbox in any database. */
@Timeout(120)
abstract class OutboxContract {
  private static final Duration SHORT = Duration.ofMillis(5);

  @TempDir Path directory;

  private final Outbox<String> outbox = new Outbox<>("orders", MessageConverter.utf8());
  private final List<AutoCloseable> opened = new ArrayList<>();
  private MessageQueue<String> queue;
  private Connection connection;

  /** Gives connections to the database. */
  abstract DataSource database();

  /** Whether the database notifies a relay of new messages. */
  boolean notifies() {
    return false;
  }

  @BeforeEach
  void open() throws SQLException {
    queue = queue("here", 10_000);
    connection = connect();
    dropTables();
    outbox.createTables(connection);
    connection.commit();
  }

  private void dropTables() throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String end : List.of("", "_relay", "_lease")) {
        statement.execute("drop table if exists " + Outbox.DEFAULT_TABLE + end);
      }
    }
    connection.commit();
  }

  private Connection connect() throws SQLException {
    Connection made = database().getConnection();
    opened.add(made);
    made.setAutoCommit(false);
    return made;
  }

  private MessageQueue<String> queue(String base, int limit) {
    MessageQueue<String> made =
        MessageQueue.builder("orders", MessageConverter.utf8())
            .directory(directory.resolve(base))
            .maxMessages(limit)
            .whenFull(FullPolicy.REJECT, Duration.ZERO)
            .open();
    opened.add(made);
    made.subscriber("all");
    return made;
  }

  @AfterEach
  void close() throws Exception {
    for (int i = opened.size() - 1; i >= 0; i--) {
      opened.get(i).close();
    }
  }

  private OutboxRelay.Builder<String> relay(MessageQueue<String> to, DataSource from) {
    return OutboxRelay.builder(to, MessageConverter.utf8(), from).poll(SHORT);
  }

  private OutboxRelay<String> start(OutboxRelay.Builder<String> builder) {
    OutboxRelay<String> relay = builder.start();
    opened.add(relay);
    return relay;
  }

  private OutboxRelay<String> start() {
    return start(relay(queue, database()));
  }

  private void write(String... messages) throws SQLException {
    outbox.writeAll(connection, Arrays.stream(messages).map(Message::of).toList());
    connection.commit();
  }

  private static String[] numbers(int from, int to) {
    return IntStream.range(from, to).mapToObj(String::valueOf).toArray(String[]::new);
  }

  @Test
  void shouldBeStartedWithItsRelayInOne() throws Exception {
    dropTables();
    try (Outbox<String> all =
        Outbox.on(database()).queue(queue).table(Outbox.DEFAULT_TABLE).start()) {
      all.publish(connection, Message.of("a"));
      connection.rollback();
      all.publish(connection, Message.of("b").withKey("k"));
      connection.commit();
      assertThat(received(queue, 1)).containsExactly("b");
    }
  }

  private static List<String> received(MessageQueue<String> from, int messages) throws Exception {
    Subscriber<String> all = from.subscriber("all");
    List<String> data = new ArrayList<>();
    while (data.size() < messages) {
      Delivery<String> next = all.next(Duration.ofSeconds(60));
      assertThat(next).as("after %s", data).isNotNull();
      data.add(next.data());
    }
    return data;
  }

  private List<String> received(int messages) throws Exception {
    return received(queue, messages);
  }

  private long rows(String table) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet counted = statement.executeQuery("select count(*) from " + table)) {
      counted.next();
      return counted.getLong(1);
    } finally {
      connection.commit();
    }
  }

  private void awaitEmptyTable() {
    await().until(() -> rows(Outbox.DEFAULT_TABLE) == 0);
  }

  private static Message<String> order(String data) {
    return Message.of(data)
        .withKey("kunde-\u00e4\uD83D\uDE00")
        .withId("id-\u00e4 ")
        .withHeader("type", "order".getBytes(UTF_8))
        .withHeader("empty\u00e4", new byte[0]);
  }

  @Test
  void shouldMoveWhatWasCommittedInOrderAndDeleteIt() throws Exception {
    for (int i = 0; i < 20; i++) {
      write(numbers(100 * i, 100 * i + 100));
    }
    OutboxRelay<String> relay = start(relay(queue, database()).batchMessages(150));
    for (int i = 2000; i < 2100; i++) {
      write(String.valueOf(i));
    }

    assertThat(received(2100)).containsExactly(numbers(0, 2100));
    awaitEmptyTable();
    await().until(() -> relay.stats().moved() == 2100);
    assertThat(relay.stats().leading()).isTrue();
    assertThat(relay.stats().failures()).isZero();
  }

  @Test
  void shouldKeepAllPartsOfAMessage() throws Exception {
    outbox.write(connection, order("first").deliverAfter(Duration.ofMillis(300)));
    outbox.write(connection, order("second").expiresAfter(Duration.ofHours(1)));
    outbox.write(connection, "");
    connection.commit();
    start();

    Subscriber<String> all = queue.subscriber("all");
    Map<String, Delivery<String>> found = new HashMap<>();
    while (found.size() < 3) {
      Delivery<String> next = all.next(Duration.ofSeconds(60));
      found.put(next.data(), next);
    }
    assertThat(found).containsOnlyKeys("first", "second", "");
    assertThat(found.get("first").place()).isGreaterThan(found.get("").place());
    for (String data : List.of("first", "second")) {
      Delivery<String> delivery = found.get(data);
      assertThat(delivery.key()).isEqualTo("kunde-\u00e4\uD83D\uDE00");
      assertThat(delivery.headers().get("type")).isEqualTo("order".getBytes(UTF_8));
      assertThat(delivery.headers().get("empty\u00e4")).isEmpty();
    }
    assertThat(found.get("").key()).isNull();
  }

  @Test
  void shouldLeaveNothingOfWhatWasRolledBack() throws Exception {
    start();
    write("before");
    outbox.write(connection, "undone");
    connection.rollback();
    write("after");

    assertThat(received(2)).containsExactly("before", "after");
    awaitEmptyTable();
    assertThat(queue.stats().nextSequence()).isEqualTo(2);
  }

  @Test
  void shouldMoveWhatIsCommittedLateAfterwards() throws Exception {
    start();
    Connection late = connect();
    outbox.write(late, "late");
    write("early", "and more");
    assertThat(received(2)).containsExactly("early", "and more");
    awaitEmptyTable();
    late.commit();

    assertThat(received(1)).containsExactly("late");
  }

  @Test
  void shouldMoveLargeMessages() throws Exception {
    List<String> large = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      large.add(String.valueOf(i).repeat(3_000_000));
      outbox.write(connection, large.get(i));
    }
    connection.commit();
    write(numbers(0, 10));
    start();

    assertThat(received(4)).isEqualTo(large);
    assertThat(received(10)).containsExactly(numbers(0, 10));
  }

  @Test
  void shouldNotWaitForAPollWhereItIsNotifiedOrWoken() throws Exception {
    OutboxRelay<String> relay = start(relay(queue, database()).poll(Duration.ofHours(1)));
    for (int i = 0; i < 20; i++) {
      write(String.valueOf(i));
      if (i % 2 == 0) {
        outbox.write(connection, "single");
        connection.commit();
        received(notifies() || woken(relay) ? 2 : 0);
      } else {
        received(notifies() || woken(relay) ? 1 : 0);
      }
    }
    awaitEmptyTable();
  }

  private static boolean woken(OutboxRelay<?> relay) {
    relay.wake();
    return true;
  }

  @Test
  void shouldRefuseAConnectionThatCommitsByItself() throws Exception {
    connection.setAutoCommit(true);
    assertThatThrownBy(() -> outbox.write(connection, "x"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("setAutoCommit(false)");
    connection.setAutoCommit(false);
  }

  @Test
  void shouldRefuseATextThatTheQueueWouldRefuse() {
    assertThatThrownBy(() -> outbox.write(connection, Message.of("x").withKey("\uD83D")))
        .isInstanceOf(RiverException.class)
        .hasMessageContaining("surrogate");
    assertThatThrownBy(() -> outbox.write(connection, Message.of("x").withKey("k".repeat(65_536))))
        .isInstanceOf(RiverException.class)
        .hasMessageContaining("65535");
  }

  @Test
  void shouldRefuseTheNameThatNoQueueCanHave() {
    for (String wrong : List.of("a b", "", "-a", "a/b", "q.dead", "x".repeat(65))) {
      assertThatThrownBy(() -> new Outbox<>(wrong, MessageConverter.utf8()))
          .isInstanceOf(ConfigurationException.class)
          .hasMessageContaining("the queue name '" + wrong + "'");
    }
  }

  @Test
  void shouldMoveARowThatExpiresBeforeItIsDueWithoutItsDelay() throws Exception {
    outbox.write(connection, Message.of("x").expiresAfter(Duration.ofHours(1)));
    try (Statement statement = connection.createStatement()) {
      statement.executeUpdate("update river_outbox set delay_micros = 7200000000");
    }
    connection.commit();
    start();
    assertThat(received(1)).containsExactly("x");
  }

  @Test
  void shouldNameTheStatementsIfATableIsMissing() throws Exception {
    dropTables();
    assertThatThrownBy(() -> write("x"))
        .isInstanceOf(SQLException.class)
        .hasMessageContaining("create table if not exists river_outbox (");
    connection.rollback();

    List<String> events = new CopyOnWriteArrayList<>();
    OutboxRelay<String> relay = start(relay(queue, database()).listener(recording(events)));
    await().until(() -> relay.stats().failures() > 1);
    assertThat(relay.stats().failure()).contains("create table if not exists river_outbox_relay (");
    for (String statement : outbox.ddl(connection)) {
      try (Statement run = connection.createStatement()) {
        run.execute(statement);
      }
    }
    write("x");
    assertThat(received(1)).containsExactly("x");
    await().untilAsserted(() -> assertThat(events).hasSize(3));
    assertThat(events.get(0)).startsWith("failed: the outbox has no table");
    assertThat(events.subList(1, 3)).containsExactly("resumed", "moved 1");
    assertThat(relay.stats().failure()).isNull();
  }

  private static OutboxListener recording(List<String> events) {
    return new OutboxListener() {
      @Override
      public void moved(long messages) {
        events.add("moved " + messages);
      }

      @Override
      public void failed(String why) {
        events.add("failed: " + why);
      }

      @Override
      public void resumed() {
        events.add("resumed");
        throw new IllegalStateException("a listener's own");
      }
    };
  }

  @Test
  void shouldCreateTheTablesIfAsked() throws Exception {
    dropTables();
    start(relay(queue, database()).create(true));
    await().ignoreExceptions().until(() -> rows("river_outbox_lease") == 1);
    write("x");
    assertThat(received(1)).containsExactly("x");
  }

  @Test
  void shouldMoveEachOnceWhateverCallFails() throws Exception {
    FaultySource faulty = new FaultySource(database(), 30, 4711);
    start(relay(queue, faulty.source()).batchMessages(7).pause(Duration.ofMillis(100)));
    for (int i = 0; i < 100; i++) {
      write(numbers(5 * i, 5 * i + 5));
    }
    assertThat(received(500)).containsExactly(numbers(0, 500));
    faulty.stop();
    awaitEmptyTable();
    assertThat(queue.stats().nextSequence()).isEqualTo(500);
    assertThat(faulty.failures()).isGreaterThan(3);
  }

  @Test
  void shouldContinueAfterItsConnectionsWereLost() throws Exception {
    FaultySource faulty = new FaultySource(database(), 0, 1);
    OutboxRelay<String> relay = start(relay(queue, faulty.source()).batchMessages(10));
    for (int i = 0; i < 20; i++) {
      write(numbers(20 * i, 20 * i + 20));
      if (i % 5 == 4) {
        faulty.abort();
      }
    }
    assertThat(received(400)).containsExactly(numbers(0, 400));
    awaitEmptyTable();
    faulty.abort();
    write("last");
    assertThat(received(1)).containsExactly("last");
    assertThat(queue.stats().nextSequence()).isEqualTo(401);
    assertThat(relay.stats().failures()).isPositive();
  }

  /** As of a driver that misses a class, or of a listener. */
  @Test
  void shouldContinueAfterErrors() throws Exception {
    DataSource real = database();
    AtomicBoolean failed = new AtomicBoolean();
    DataSource faulty =
        (DataSource)
            Proxy.newProxyInstance(
                OutboxContract.class.getClassLoader(),
                new Class<?>[] {DataSource.class},
                (self, method, arguments) -> {
                  if (!failed.getAndSet(true)) {
                    throw new NoClassDefFoundError("Driver");
                  }
                  return real.getConnection();
                });
    List<String> heard = new CopyOnWriteArrayList<>();
    OutboxListener listener =
        new OutboxListener() {
          @Override
          public void failed(String why) {
            heard.add(why);
            throw new StackOverflowError();
          }
        };
    OutboxRelay<String> relay = start(relay(queue, faulty).listener(listener));
    write("first");
    assertThat(received(1)).containsExactly("first");
    assertThat(heard).containsExactly("java.lang.NoClassDefFoundError: Driver");
    assertThat(relay.stats().failures()).isEqualTo(1);
  }

  @Test
  void shouldWaitWhileTheQueueIsFull() throws Exception {
    MessageQueue<String> small = queue("small", 10);
    small.close();
    MessageQueue<String> full =
        MessageQueue.builder("orders", MessageConverter.utf8())
            .directory(directory.resolve("full"))
            .maxMessages(10)
            .whenFull(FullPolicy.REJECT, Duration.ZERO)
            .open();
    opened.add(full);
    Subscriber<String> all = full.subscriber("all");
    OutboxRelay<String> relay = start(relay(full, database()));
    write(numbers(0, 25));
    await().until(() -> relay.stats().failure() != null);
    assertThat(relay.stats().failure()).contains("queue.max.messages=10");
    List<String> data = new ArrayList<>();
    while (data.size() < 25) {
      all.batch(5, Duration.ofSeconds(1)).forEach(each -> data.add(each.data()));
    }
    assertThat(data).containsExactly(numbers(0, 25));
    awaitEmptyTable();
  }

  @Test
  void shouldNameAMessageThatTheQueueRefusesAndWaitForIt() throws Exception {
    MessageConverter<String> strict =
        new MessageConverter<>() {
          @Override
          public byte[] toBytes(String data) {
            return data.getBytes(UTF_8);
          }

          @Override
          public String fromBytes(byte[] bytes) {
            String data = new String(bytes, UTF_8);
            if (data.equals("bad")) {
              throw new IllegalArgumentException("not in this version");
            }
            return data;
          }
        };
    write("good", "bad", "better");
    OutboxRelay<String> relay = start(OutboxRelay.builder(queue, strict, database()).poll(SHORT));
    assertThat(received(1)).containsExactly("good");
    await().until(() -> relay.stats().failures() > 1);
    String failure = relay.stats().failure();
    assertThat(failure).contains("not in this version");
    long id = Long.parseLong(failure.replaceAll(".*with id (\\d+) .*", "$1"));
    try (PreparedStatement statement =
        connection.prepareStatement("delete from river_outbox where id = ?")) {
      statement.setLong(1, id);
      assertThat(statement.executeUpdate()).isEqualTo(1);
      connection.commit();
    }
    assertThat(received(1)).containsExactly("better");
    awaitEmptyTable();
    await().until(() -> relay.stats().waiting() == 0);
    assertThat(relay.stats().moved()).isEqualTo(2); // not the one that was deleted
  }

  @Test
  void shouldRefuseADatabaseThatIsOlderThanTheQueue() throws Exception {
    OutboxRelay<String> before = start();
    write(numbers(0, 10));
    received(10);
    awaitEmptyTable();
    before.close();
    try (Statement statement = connection.createStatement()) {
      statement.execute("update river_outbox_relay set next_position = 4");
    }
    write("more");
    OutboxRelay<String> relay = start();
    await().until(() -> relay.stats().failure() != null);
    assertThat(relay.stats().failure()).contains("restored from a copy");
    String remedy = relay.stats().failure().replaceAll(".*: (delete from .*)", "$1");
    try (Statement statement = connection.createStatement()) {
      assertThat(statement.executeUpdate(remedy)).isEqualTo(1);
    }
    connection.commit();
    assertThat(received(1)).containsExactly("more");
  }

  @Test
  void shouldHaveOneInstanceMoveAndAnotherTakeOverWhenItCloses() throws Exception {
    MessageQueue<String> other = queue("there", 10_000);
    OutboxRelay<String> first = start();
    write("a");
    assertThat(received(1)).containsExactly("a");
    OutboxRelay<String> second = start(relay(other, database()).lease(Duration.ofHours(1)));
    write(numbers(0, 500));
    assertThat(received(500)).containsExactly(numbers(0, 500));
    awaitEmptyTable();
    assertThat(second.stats().moved()).isZero();
    first.close();
    write("b");
    assertThat(received(other, 1)).containsExactly("b");
    assertThat(queue.stats().nextSequence()).isEqualTo(501);
  }

  @Test
  void shouldTakeOverFromAnInstanceThatIsSilentButForWhatThatHasClaimed() throws Exception {
    write(numbers(0, 10));
    CountDownLatch moving = new CountDownLatch(1);
    CountDownLatch hang = new CountDownLatch(1);
    OutboxListener hangs =
        new OutboxListener() {
          @Override
          public void moved(long messages) {
            moving.countDown();
            awaitLatch(hang);
          }
        };
    start(relay(queue, database()).batchMessages(5).listener(hangs));
    awaitLatch(moving); // 0 to 4 are moved, 5 to 9 claimed
    MessageQueue<String> other = queue("there", 10_000);
    start(relay(other, database()).lease(Duration.ofMillis(50)));
    write(numbers(10, 20));

    assertThat(received(other, 10)).containsExactly(numbers(10, 20));
    hang.countDown();
    assertThat(received(10)).containsExactly(numbers(0, 10));
    awaitEmptyTable();
    assertThat(other.stats().nextSequence()).isEqualTo(10);
    assertThat(queue.stats().nextSequence()).isEqualTo(10);
  }

  private static void awaitLatch(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void shouldMoveEachOnceByInstancesThatTakeTurns() throws Exception {
    List<MessageQueue<String>> queues =
        List.of(queue, queue("second", 10_000), queue("third", 10_000));
    for (MessageQueue<String> each : queues) {
      start(relay(each, database()).lease(Duration.ZERO).batchMessages(20));
    }
    List<Thread> writers = new ArrayList<>();
    for (int writer = 0; writer < 4; writer++) {
      int first = 1000 * writer;
      Connection own = connect();
      Thread thread =
          new MonitoredThread(
              "writer",
              () -> {
                try {
                  for (int i = first; i < first + 1000; i += 4) {
                    outbox.writeAll(
                        own, Arrays.stream(numbers(i, i + 4)).map(Message::of).toList());
                    own.commit();
                  }
                } catch (SQLException e) {
                  throw new IllegalStateException(e);
                }
              });
      writers.add(thread);
      thread.start();
    }
    for (Thread writer : writers) {
      writer.join();
    }
    awaitEmptyTable();
    List<String> all = new ArrayList<>();
    for (MessageQueue<String> each : queues) {
      all.addAll(received(each, (int) each.stats().nextSequence()));
    }
    assertThat(all).containsExactlyInAnyOrder(numbers(0, 4000));
  }

  @Test
  void shouldMoveToTheQueueOfTheNameOnly() throws Exception {
    start();
    Outbox<String> others = new Outbox<>("others", MessageConverter.utf8());
    others.write(connection, "not for orders");
    write("x");
    assertThat(received(1)).containsExactly("x");
    await().until(() -> rows(Outbox.DEFAULT_TABLE) == 1);
  }

  @Test
  void shouldReportWhatWaits() throws Exception {
    write(numbers(0, 30));
    MessageQueue<String> other = queue("there", 10_000);
    CountDownLatch hang = new CountDownLatch(1);
    OutboxListener hangs =
        new OutboxListener() {
          @Override
          public void moved(long messages) {
            awaitLatch(hang);
          }
        };
    OutboxRelay<String> relay = start(relay(other, database()).batchMessages(10).listener(hangs));
    await().until(() -> relay.stats().moved() == 10);
    assertThat(relay.stats().waiting()).isEqualTo(20);
    assertThat(relay.stats().lag()).isPositive();
    hang.countDown();
    await().until(() -> relay.stats().waiting() == 0);
    assertThat(relay.stats().lag()).isZero();
  }

  @Test
  void shouldReportWhatWaitsWhileTheQueueTakesNothing() throws Exception {
    queue.status(QueueStatus.READ_ONLY);
    OutboxRelay<String> relay = start();
    write(numbers(0, 3));
    await().until(() -> relay.stats().waiting() == 3);
    await().until(() -> relay.stats().failure() != null);
    assertThat(relay.stats().failure())
        .contains("queue orders has the status READ_ONLY")
        .doesNotContain("with id");
    Duration lag = relay.stats().lag();
    await().until(() -> relay.stats().lag().compareTo(lag) > 0);
    write(numbers(3, 5));
    await().until(() -> relay.stats().waiting() == 5);
    queue.status(QueueStatus.UP);
    assertThat(received(5)).containsExactly(numbers(0, 5));
    await().until(() -> relay.stats().waiting() == 0);
    assertThat(relay.stats().lag()).isZero();
  }

  @Test
  void shouldLetTheLagGrowWhileTheDatabaseIsAway() throws Exception {
    queue.status(QueueStatus.READ_ONLY);
    AtomicBoolean away = new AtomicBoolean();
    DataSource database = database();
    OutboxRelay<String> relay =
        start(
            relay(
                queue,
                (DataSource)
                    Proxy.newProxyInstance(
                        DataSource.class.getClassLoader(),
                        new Class<?>[] {DataSource.class},
                        (proxy, method, arguments) -> {
                          if (away.get()) {
                            throw new SQLException("away");
                          }
                          return database.getConnection();
                        })));
    write("x");
    await().until(() -> relay.stats().waiting() == 1 && relay.stats().failure() != null);
    away.set(true);
    await().until(() -> "away".equals(relay.stats().failure()));
    Duration lag = relay.stats().lag();
    await().until(() -> relay.stats().lag().compareTo(lag) > 0);
    assertThat(relay.stats().waiting()).isEqualTo(1);
  }

  @Test
  void shouldEndWithItsQueue() throws Exception {
    OutboxRelay<String> relay = start();
    write("x");
    received(1);
    queue.close();
    write("y");
    relay.close();
    assertThat(rows(Outbox.DEFAULT_TABLE)).isEqualTo(1);
    queue = queue("here", 10_000);
    start();
    assertThat(received(1)).containsExactly("y");
  }

  @Test
  void shouldGiveItsConnectionBackAsItWas() throws Exception {
    FaultySource source = new FaultySource(database(), 0, 1);
    OutboxRelay<String> relay = start(relay(queue, source.source()));
    write("x");
    received(1);
    relay.close();
    assertThat(source.closedAsTheyWere()).isTrue();
  }
}
