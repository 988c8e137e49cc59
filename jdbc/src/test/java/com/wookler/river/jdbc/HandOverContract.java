package com.wookler.river.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.common.TimeSource;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Order;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.testing.Aside;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What holds for a hand-over to any database. */
@Timeout(120)
abstract class HandOverContract {
  private static final SubscriberConfig CONFIG =
      SubscriberConfig.builder("billing")
          .ack(true)
          .filter((Message<String> message) -> !message.data().equals("unwanted"))
          .build();

  @TempDir Path directory;

  private final PositionStore positions = new PositionStore();
  private MessageQueue<String> queue;
  private Subscriber<String> billing;
  private Connection connection;

  /** A new connection that does not commit by itself. */
  abstract Connection connect() throws SQLException;

  @BeforeEach
  void open() throws SQLException {
    openQueue();
    connection = connect();
    try (Statement statement = connection.createStatement()) {
      statement.execute("drop table if exists " + PositionStore.DEFAULT_TABLE);
      statement.execute("drop table if exists taken");
      statement.execute("create table taken (sequence bigint, data varchar(100))");
    }
    positions.createTable(connection);
    connection.commit();
  }

  private void openQueue() {
    openQueue(TimeSource.system());
  }

  private void openQueue(TimeSource time) {
    queue =
        MessageQueue.builder("orders", MessageConverter.utf8())
            .directory(directory)
            .timeSource(time)
            .open();
    billing = queue.subscriber(CONFIG);
  }

  @AfterEach
  void close() throws SQLException {
    connection.close();
    queue.close();
  }

  private void publish(String... messages) {
    queue.publisher().publishAll(Arrays.asList(messages));
  }

  private StoredPosition<String> claim(Connection by) throws SQLException {
    StoredPosition<String> position = positions.claim(by, queue, billing);
    by.commit();
    return position;
  }

  private List<Delivery<String>> take(int max) throws InterruptedException {
    return billing.batch(max, Duration.ZERO);
  }

  private void insert(Connection by, Collection<Delivery<String>> deliveries) throws SQLException {
    for (Delivery<String> delivery : deliveries) {
      try (PreparedStatement statement =
          by.prepareStatement("insert into taken (sequence, data) values (?, ?)")) {
        statement.setLong(1, delivery.sequence());
        statement.setString(2, delivery.data());
        statement.executeUpdate();
      }
    }
  }

  private List<String> taken() throws SQLException {
    List<String> data = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("select data from taken order by sequence, data")) {
      while (rows.next()) {
        data.add(rows.getString(1));
      }
    }
    connection.commit();
    return data;
  }

  private long next() throws SQLException {
    OptionalLong next = positions.read(connection, "orders", "billing");
    connection.commit();
    return next.orElseThrow();
  }

  @Test
  void shouldSayWhichConstraintDoesNotWantThePosition() throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(
          "alter table "
              + PositionStore.DEFAULT_TABLE
              + " add constraint others_only check (queue_name <> 'orders')");
      connection.commit();
      statement.execute("insert into taken (sequence, data) values (1, 'before')");
      assertThatThrownBy(() -> positions.claim(connection, queue, billing))
          .isInstanceOf(SQLException.class)
          .message()
          .containsIgnoringCase("others_only");
    }
    connection.commit();
    assertThat(taken()).containsExactly("before");
  }

  @Test
  void shouldGiveAFirstClaimToTheLastOfTwoThatComeAtOnce() throws Exception {
    publish("a", "b");
    StoredPosition<String> first = positions.claim(connection, queue, billing);
    insert(connection, take(1));
    try (Connection other = connect()) {
      CompletableFuture<StoredPosition<String>> second =
          Aside.supply(
              () -> {
                try {
                  return claim(other);
                } catch (SQLException e) {
                  throw new CompletionException(e);
                }
              });
      await().during(Duration.ofMillis(300)).until(() -> !second.isDone());
      connection.commit();

      StoredPosition<String> last = second.get();
      List<Delivery<String>> batch = take(2);
      assertThatThrownBy(() -> first.advance(connection, batch))
          .isInstanceOf(PositionTakenException.class);
      connection.rollback();
      assertThat(last.advance(other, batch)).hasSize(2);
      other.commit();
    }
    assertThat(next()).isEqualTo(2);
    assertThat(taken()).containsExactly("a");
  }

  @Test
  void shouldHandOverAndGoOnWhereItStood() throws Exception {
    publish("a", "b", "c");
    assertThat(positions.read(connection, "orders", "billing")).isEmpty();
    StoredPosition<String> position = claim(connection);
    List<Delivery<String>> batch = take(2);
    insert(connection, position.advance(connection, batch));
    connection.commit();
    billing.ack(batch);
    assertThat(next()).isEqualTo(2);

    queue.close();
    openQueue();
    position = claim(connection);
    for (Delivery<String> delivery : take(9)) {
      assertThat(position.advance(connection, delivery)).isTrue();
      insert(connection, List.of(delivery));
      connection.commit();
      delivery.ack();
    }

    assertThat(taken()).containsExactly("a", "b", "c");
    assertThat(next()).isEqualTo(3);
    assertThat(billing.stats().lag()).isZero();
  }

  @Test
  void shouldNotTakeAgainWhatWasCommittedButNotAcknowledged() throws Exception {
    publish("a", "b", "c");
    StoredPosition<String> position = claim(connection);
    insert(connection, position.advance(connection, take(2)));
    connection.commit();

    queue.close(); // before the acknowledgement
    openQueue();
    assertThat(billing.stats().lag()).isEqualTo(3);
    position = claim(connection);
    List<Delivery<String>> rest = take(9);

    assertThat(rest).extracting(Delivery::data).containsExactly("c");
    insert(connection, position.advance(connection, rest));
    connection.commit();
    assertThat(taken()).containsExactly("a", "b", "c");
  }

  @Test
  void shouldTakeAgainWhatWasRolledBack() throws Exception {
    publish("a", "b");
    StoredPosition<String> position = claim(connection);
    List<Delivery<String>> batch = take(2);
    insert(connection, position.advance(connection, batch));
    connection.rollback();
    assertThat(take(2)).isEmpty();
    position.resume(connection);
    connection.commit();

    List<Delivery<String>> again = take(2);
    insert(connection, position.advance(connection, again));
    connection.commit();
    billing.ack(again);
    assertThat(taken()).containsExactly("a", "b");
    assertThatThrownBy(() -> billing.ack(batch)).isInstanceOf(RiverException.class);
  }

  @Test
  void shouldKnowWhatTheDatabaseHasWhenItComesAgain() throws Exception {
    publish("a", "b");
    StoredPosition<String> position = claim(connection);
    Delivery<String> first = billing.next();
    insert(connection, position.advance(connection, List.of(first)));
    connection.commit();
    first.nack(Duration.ZERO); // as if the ack timeout had passed
    List<Delivery<String>> again = take(2);

    assertThat(again).extracting(Delivery::data).containsExactly("a", "b");
    assertThat(position.advance(connection, again.get(0))).isFalse();
    List<Delivery<String>> fresh = position.advance(connection, again);
    assertThat(fresh).extracting(Delivery::data).containsExactly("b");
    insert(connection, fresh);
    connection.commit();
    billing.ack(again);
    assertThat(taken()).containsExactly("a", "b");
  }

  @Test
  void shouldRefuseToLeaveAMessageOut() throws Exception {
    publish("a", "b", "c");
    StoredPosition<String> position = claim(connection);
    List<Delivery<String>> batch = take(3);

    for (List<Delivery<String>> leavingOut :
        List.of(List.of(batch.get(1)), List.of(batch.get(0), batch.get(2)))) {
      assertThatThrownBy(() -> position.advance(connection, leavingOut))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("not completed");
    }
    assertThat(next()).isZero();
    batch.get(0).nack(Duration.ofHours(1));
    assertThatThrownBy(() -> position.advance(connection, batch.get(1)))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void shouldPassOverWhatIsFinishedOtherwise() throws Exception {
    publish("unwanted", "a", "unwanted", "poison", "b");
    StoredPosition<String> position = claim(connection);
    List<Delivery<String>> batch = take(9);
    assertThat(batch).hasSize(3);
    insert(connection, position.advance(connection, List.of(batch.get(0))));
    connection.commit();
    batch.get(0).ack();
    position.advance(connection, batch.get(1)); // but nothing is made of it
    connection.commit();
    batch.get(1).reject("no use for it");
    insert(connection, position.advance(connection, List.of(batch.get(2))));
    connection.commit();
    batch.get(2).ack();

    assertThat(taken()).containsExactly("a", "b");
    await().until(() -> billing.isFinished(3)); // its dead letter is written
    assertThat(billing.isFinished(5)).isFalse();
  }

  @Test
  void shouldHandOverWhatWasDelayedBehindLaterMessages() throws Exception {
    queue.close();
    ManualTimeSource time = new ManualTimeSource(TimeSource.system().wallTime());
    openQueue(time);
    queue.publisher().publish(Message.of("late").deliverAfter(Duration.ofSeconds(5)));
    publish("a", "b");
    StoredPosition<String> position = claim(connection);
    List<Delivery<String>> batch = take(9);
    assertThat(batch).extracting(Delivery::data).containsExactly("a", "b");
    insert(connection, position.advance(connection, batch));
    connection.commit();
    billing.ack(batch);

    time.advance(Duration.ofSeconds(5));
    Delivery<String> late = billing.next(Duration.ofSeconds(20));
    assertThat(late.sequence()).isZero();
    assertThat(late.place()).isEqualTo(3);
    insert(connection, position.advance(connection, List.of(late)));
    connection.commit();
    assertThat(position.advance(connection, late)).isFalse();
    late.ack();
    assertThat(billing.isFinished(3)).isTrue();
    assertThat(taken()).containsExactly("late", "a", "b");
    assertThat(next()).isEqualTo(4);
  }

  @Test
  void shouldShutOutWhoeverClaimedBefore() throws Exception {
    publish("a", "b");
    StoredPosition<String> old = claim(connection);
    List<Delivery<String>> batch = take(2);
    try (Connection other = connect()) {
      StoredPosition<String> fresh = claim(other);
      assertThatThrownBy(() -> old.advance(connection, batch))
          .isInstanceOf(PositionTakenException.class);
      assertThatThrownBy(() -> old.resume(connection)).isInstanceOf(PositionTakenException.class);
      connection.rollback();

      insert(other, fresh.advance(other, take(2)));
      other.commit();
    }
    assertThat(taken()).containsExactly("a", "b");
  }

  @Test
  void shouldWaitForTheTransactionOfWhoeverClaimedBefore() throws Exception {
    publish("a", "b", "c");
    StoredPosition<String> old = claim(connection);
    insert(connection, old.advance(connection, take(2)));
    try (Connection other = connect()) {
      CompletableFuture<StoredPosition<String>> claiming =
          Aside.supply(
              () -> {
                try {
                  return claim(other);
                } catch (SQLException e) {
                  throw new AssertionError(e);
                }
              });
      await()
          .during(Duration.ofMillis(100))
          .atMost(Duration.ofSeconds(60))
          .until(() -> !claiming.isDone());
      connection.commit();
      StoredPosition<String> fresh = claiming.join();
      insert(other, fresh.advance(other, take(9)));
      other.commit();
    }
    assertThat(taken()).containsExactly("a", "b", "c");
  }

  @Test
  void shouldLetOneOfTwoTransactionsAdvance() throws Exception {
    publish("a");
    StoredPosition<String> position = claim(connection);
    List<Delivery<String>> batch = take(1);
    try (Connection other = connect()) {
      assertThat(position.advance(connection, batch)).hasSize(1);
      CompletableFuture<Throwable> second =
          Aside.supply(
              () -> {
                try {
                  position.advance(other, batch);
                  return new AssertionError("it advanced twice");
                } catch (SQLException | RuntimeException e) {
                  return e;
                }
              });
      await()
          .during(Duration.ofMillis(100))
          .atMost(Duration.ofSeconds(60))
          .until(() -> !second.isDone());
      connection.commit();
      assertThat(second.join()).isInstanceOf(PositionTakenException.class);
      other.rollback();
      assertThat(position.advance(other, batch)).isEmpty();
      other.rollback();
    }
  }

  @Test
  void shouldRefuseAConnectionThatCommitsByItself() throws Exception {
    publish("a");
    StoredPosition<String> position = claim(connection);
    List<Delivery<String>> batch = take(1);
    connection.setAutoCommit(true);

    assertThatThrownBy(() -> claim(connection)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> position.advance(connection, batch))
        .isInstanceOf(IllegalStateException.class);
    connection.setAutoCommit(false);
    assertThat(next()).isZero();
  }

  @Test
  void shouldRefuseAPositionOfAnotherTimeOrQueue() throws Exception {
    publish("a", "b");
    StoredPosition<String> position = claim(connection);
    insert(connection, position.advance(connection, take(2)));
    connection.commit();
    queue.delete();
    openQueue();
    assertThatThrownBy(() -> claim(connection))
        .isInstanceOf(RiverException.class)
        .hasMessageContaining("another queue of this name");
    connection.rollback();
    assertThat(positions.forget(connection, "orders", "billing")).isTrue();
    assertThat(positions.forget(connection, "orders", "billing")).isFalse();
    publish("c");
    claim(connection);
    assertThat(next()).isZero();

    try (Statement statement = connection.createStatement()) {
      statement.execute("update " + PositionStore.DEFAULT_TABLE + " set next_sequence = 2");
    }
    connection.commit();
    assertThatThrownBy(() -> claim(connection))
        .isInstanceOf(RiverException.class)
        .hasMessageContaining("older than the database");
    connection.rollback();
  }

  @Test
  void shouldRefuseASubscriberWithoutAcknowledgement() {
    Subscriber<String> once = queue.subscriber("once");

    assertThatThrownBy(() -> positions.claim(connection, queue, once))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("acknowledgement");
  }

  @Test
  void shouldServeTheStrictOrderAndRefuseTheOrderByKey() throws Exception {
    publish("a", "b", "c");
    SubscriberConfig.Builder config = SubscriberConfig.builder("strict").ack(true);
    billing = queue.subscriber(config.order(Order.STRICT).build());
    StoredPosition<String> position = claim(connection);
    for (int i = 0; i < 3; i++) {
      List<Delivery<String>> batch = take(10);
      insert(connection, position.advance(connection, batch));
      connection.commit();
      billing.ack(batch);
    }
    assertThat(taken()).containsExactly("a", "b", "c");

    Subscriber<String> keyed =
        queue.subscriber(SubscriberConfig.builder("keyed").ack(true).order(Order.KEY).build());
    assertThatThrownBy(() -> positions.claim(connection, queue, keyed))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("SEQUENCE or STRICT")
        .hasMessageContaining("it has true and KEY");
  }

  @Test
  void shouldTakeNamesOfTablesOnly() {
    assertThat(new PositionStore("audit.positions").ddl()).contains("audit.positions (");
    for (String wrong : List.of("", "a b", "x; drop table y", "1a", "a.b.c", "\"a\"")) {
      assertThatThrownBy(() -> new PositionStore(wrong)).isInstanceOf(ConfigurationException.class);
    }
  }
}
