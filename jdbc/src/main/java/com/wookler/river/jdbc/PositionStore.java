package com.wookler.river.jdbc;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.subscriber.Order;
import com.wookler.river.core.subscriber.Subscriber;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the positions of subscribers in a table of the user's own database, so that the effect of a
 * message and the new position are one transaction: each message takes effect once, also after a
 * crash at any moment.
 *
 * <pre>{@code
 * PositionStore positions = new PositionStore();
 * positions.createTable(connection);                        // once
 * StoredPosition<String> position = positions.claim(connection, queue, subscriber);
 * connection.commit();
 * while (running) {
 *   List<Delivery<String>> batch = subscriber.batch();
 *   for (Delivery<String> delivery : position.advance(connection, batch)) {
 *     insert(connection, delivery.data());
 *   }
 *   connection.commit();
 *   subscriber.ack(batch);
 * }
 * }</pre>
 *
 * <p>After any failure call {@code connection.rollback()} and {@link StoredPosition#resume}.
 *
 * <p>Every method works in the transaction of its connection, and commits and closes nothing.
 * Connections that commit by themselves are refused. The SQL is plain, so any database with
 * transactions can be used; read committed is enough. Thread-safe.
 *
 * <p>The table, of any name:
 *
 * <pre>
 * queue_name       varchar(64)  with subscriber_name the primary key
 * subscriber_name  varchar(64)
 * queue_id         varchar(36)  {@link MessageQueue#identity}
 * epoch            bigint       one more at each claim
 * next_sequence    bigint       everything below it has been transferred
 * </pre>
 */
public final class PositionStore {
  /** The name of the table unless another is given. */
  public static final String DEFAULT_TABLE = "river_position";

  private static final String WHERE = " where queue_name = ? and subscriber_name = ?";

  private static final String UNIQUE = "23505"; // a key exists; some databases have 23000 for all
  private static final int MAX_TRIES = 5;

  private final String table;

  /**
   * A row of the table.
   *
   * @param queueId identity of the queue
   * @param epoch of the latest claim
   * @param next sequence
   */
  record Row(String queueId, long epoch, long next) {}

  /** Keeps positions in {@link #DEFAULT_TABLE}. */
  public PositionStore() {
    this(DEFAULT_TABLE);
  }

  /**
   * Keeps positions in a table.
   *
   * @param table letters, digits and underscores, perhaps after a schema and a dot
   */
  public PositionStore(String table) {
    this.table = Sql.table(table);
  }

  /** Returns the statement that creates the table, for programs that run it elsewhere. */
  public String ddl() {
    return "create table if not exists "
        + table
        + " (queue_name varchar(64) not null, subscriber_name varchar(64) not null,"
        + " queue_id varchar(36) not null, epoch bigint not null, next_sequence bigint not null,"
        + " primary key (queue_name, subscriber_name))";
  }

  /** Creates the table if it does not exist. Some databases commit with that. */
  public void createTable(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(ddl());
    }
  }

  /** Returns the next sequence that the database waits for; empty before the first claim. */
  public OptionalLong read(Connection connection, String queue, String subscriber)
      throws SQLException {
    Row row = row(connection, queue, subscriber);
    return row == null ? OptionalLong.empty() : OptionalLong.of(row.next());
  }

  /**
   * Takes the position, and moves the subscriber to it: all messages before it are completed, all
   * from it on are delivered again. For a subscriber that is not in the database, the position is
   * its low watermark.
   *
   * <p>An earlier holder cannot advance the position any more. This waits for a transaction in
   * which the earlier holder has advanced it, or another one claims it for the first time. The
   * claim counts once the caller has committed.
   *
   * @throws ConfigurationException the subscriber does not acknowledge, or orders by key
   * @throws RiverException the row is of another queue of this name, or is ahead of the queue, so
   *     one of them was restored from a copy. {@link #forget} begins at the low watermark
   * @throws PositionTakenException it was claimed and forgotten, again and again, meanwhile
   */
  public <M> StoredPosition<M> claim(
      Connection connection, MessageQueue<M> queue, Subscriber<M> subscriber) throws SQLException {
    Sql.requireTransaction(connection, "position");
    if (!subscriber.config().ackRequired() || subscriber.config().order() == Order.KEY) {
      throw new ConfigurationException(
          String.format(
              "queue %s, subscriber %s: a position needs acknowledgement"
                  + " (subscriber.ack.required=true) and one order of all messages"
                  + " (subscriber.order=SEQUENCE or STRICT); it has %s and %s",
              queue.name(),
              subscriber.name(),
              subscriber.config().ackRequired(),
              subscriber.config().order()));
    }
    // The row is locked before it is read: the earlier holder's transaction has ended then.
    lock(connection, queue, subscriber);
    Row row = row(connection, queue.name(), subscriber.name());
    if (row == null) {
      throw new PositionTakenException("the position was forgotten while it was claimed");
    }
    StoredPosition<M> position = new StoredPosition<>(this, queue, subscriber, row.epoch());
    position.moveTo(row);
    return position;
  }

  /**
   * Deletes a position: the next claim begins at the subscriber's low watermark.
   *
   * @return whether there was one
   */
  public boolean forget(Connection connection, String queue, String subscriber)
      throws SQLException {
    String sql = "delete from " + table + WHERE;
    try (PreparedStatement statement = statement(connection, sql, queue, subscriber)) {
      return statement.executeUpdate() == 1;
    }
  }

  /** Locks the row, by changing or creating it. */
  private <M> void lock(Connection connection, MessageQueue<M> queue, Subscriber<M> subscriber)
      throws SQLException {
    SQLException refused = null;
    for (int tries = 0; tries < MAX_TRIES; tries++) {
      if (update(connection, "epoch = epoch + 1", "", queue.name(), subscriber.name())) {
        return;
      }
      refused = makeRow(connection, queue, subscriber);
      if (refused == null) {
        return;
      }
    }
    if (refused != null && !UNIQUE.equals(refused.getSQLState())) {
      throw refused; // there was no row each time, so another constraint refuses it
    }
    throw new PositionTakenException("the position was claimed and forgotten meanwhile");
  }

  /**
   * Creates the row. Returns why a constraint refused it, or null: another claim may have committed
   * meanwhile, and the next update finds that out. The savepoint keeps what the transaction did
   * before, which some databases discard otherwise.
   */
  private <M> @Nullable SQLException makeRow(
      Connection connection, MessageQueue<M> queue, Subscriber<M> subscriber) throws SQLException {
    if (!connection.getMetaData().supportsSavepoints()) {
      insert(connection, queue, subscriber);
      return null;
    }
    Savepoint before = connection.setSavepoint();
    try {
      insert(connection, queue, subscriber);
    } catch (SQLException e) {
      if (!Sql.violatesConstraint(e)) {
        throw e;
      }
      connection.rollback(before);
      return e;
    }
    connection.releaseSavepoint(before);
    return null;
  }

  private <M> void insert(Connection connection, MessageQueue<M> queue, Subscriber<M> subscriber)
      throws SQLException {
    String sql =
        "insert into "
            + table
            + " (queue_name, subscriber_name, queue_id, epoch, next_sequence) values (?, ?, ?, 1, ?)";
    try (PreparedStatement statement =
        statement(connection, sql, queue.name(), subscriber.name())) {
      statement.setString(3, queue.identity().toString());
      statement.setLong(4, subscriber.stats().ackFloor());
      statement.executeUpdate();
    }
  }

  @Nullable Row row(Connection connection, String queue, String subscriber) throws SQLException {
    String sql = "select queue_id, epoch, next_sequence from " + table + WHERE;
    try (PreparedStatement statement = statement(connection, sql, queue, subscriber);
        ResultSet found = statement.executeQuery()) {
      return found.next() ? new Row(found.getString(1), found.getLong(2), found.getLong(3)) : null;
    }
  }

  /** Changes the row if it exists and is as expected. */
  boolean update(
      Connection connection, String set, String expected, String queue, String subscriber)
      throws SQLException {
    String sql = "update " + table + " set " + set + WHERE + expected;
    try (PreparedStatement statement = statement(connection, sql, queue, subscriber)) {
      return statement.executeUpdate() == 1;
    }
  }

  private static PreparedStatement statement(
      Connection connection, String sql, String queue, String subscriber) throws SQLException {
    PreparedStatement statement = connection.prepareStatement(sql);
    statement.setString(1, queue);
    statement.setString(2, subscriber);
    return statement;
  }
}
