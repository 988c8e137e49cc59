package com.wookler.river.jdbc;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.wookler.river.common.TimeSource;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.Names;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A transactional outbox: writes messages into a table of the user's own database, in the user's
 * own transaction. What is committed is moved into a queue by an {@link OutboxRelay}, in order and
 * exactly once; what is rolled back is not.
 *
 * <pre>{@code
 * Outbox<String> outbox = new Outbox<>("orders", MessageConverter.utf8());
 * outbox.createTables(connection);                          // once
 * ...
 * insert(connection, order);
 * outbox.write(connection, Message.of(json).withKey(order.customer()));
 * connection.commit();                                      // both, or neither
 * }</pre>
 *
 * <p>Data, key, id, headers, expiry and delay of a message are kept; expiry and delay count from
 * the write. The queue need not be open in this process. Messages of one transaction, and of
 * transactions of which one began after the other was committed, are moved in the order in which
 * they were written. A connection that commits by itself is refused. Thread-safe.
 *
 * @param <M> type of the data
 */
public final class Outbox<M> implements AutoCloseable {
  /** The name of the table unless another is given. */
  public static final String DEFAULT_TABLE = "river_outbox";

  private static final int MOST_BYTES = 65_535; // of a key or an id in UTF-8
  private static final String COLUMNS =
      " (queue_name, message_key, message_id, headers, delay_micros, expiry_micros, written_micros,"
          + " data_bytes, data) values (?, ?, ?, ?, ?, ?, ?, ?, ?)";

  private final String queue;
  private final MessageConverter<M> converter;
  private final String table;
  private final TimeSource time;
  private @Nullable OutboxRelay<M> relay; // that it has started; set before it is handed out

  /**
   * Creates an outbox in {@link #DEFAULT_TABLE}.
   *
   * @param queue name of the queue into which the messages are moved
   * @param converter the queue's
   * @throws com.wookler.river.common.errors.ConfigurationException no queue can have this name
   */
  public Outbox(String queue, MessageConverter<M> converter) {
    this(queue, converter, DEFAULT_TABLE, TimeSource.system());
  }

  /**
   * Creates an outbox in a table, which outboxes of several queues may share.
   *
   * @param table letters, digits and underscores, perhaps after a schema and a dot
   */
  public Outbox(String queue, MessageConverter<M> converter, String table) {
    this(queue, converter, table, TimeSource.system());
  }

  Outbox(String queue, MessageConverter<M> converter, String table, TimeSource time) {
    this.queue = Names.check("queue", Objects.requireNonNull(queue, "queue"));
    this.converter = Objects.requireNonNull(converter, "converter");
    this.table = Sql.table(table);
    this.time = time;
  }

  /**
   * Begins an outbox with its relay in one: {@code
   * Outbox.on(dataSource).queue(queue).table(name).start()} creates the tables if they are missing,
   * starts the relay, and returns the outbox, whose {@link #close} ends it.
   *
   * @param dataSource gives a connection, which the relay keeps as long as it works
   */
  public static Database on(DataSource dataSource) {
    return new Database(Objects.requireNonNull(dataSource, "dataSource"));
  }

  /** A database that is to have an outbox. */
  public static final class Database {
    private final DataSource dataSource;

    private Database(DataSource dataSource) {
      this.dataSource = dataSource;
    }

    /** Sets the queue, which runs, and into which the messages are moved. */
    public <M> Starter<M> queue(MessageQueue<M> queue) {
      return new Starter<>(queue, dataSource);
    }
  }

  /**
   * Starts an outbox with its relay.
   *
   * @param <M> type of the data
   */
  public static final class Starter<M> {
    private final MessageQueue<M> queue;
    private final DataSource dataSource;
    private String table = DEFAULT_TABLE;

    private Starter(MessageQueue<M> queue, DataSource dataSource) {
      this.queue = Objects.requireNonNull(queue, "queue");
      this.dataSource = dataSource;
    }

    /** Sets the table (default {@value Outbox#DEFAULT_TABLE}), which is created if missing. */
    @CanIgnoreReturnValue
    public Starter<M> table(String name) {
      table = Objects.requireNonNull(name, "name");
      return this;
    }

    /**
     * Creates the tables, and starts the relay.
     *
     * @throws RiverException the tables cannot be created
     */
    public Outbox<M> start() {
      Outbox<M> outbox = new Outbox<>(queue.name(), queue.converter(), table);
      try (Connection connection = dataSource.getConnection()) {
        outbox.createTables(connection);
        if (!connection.getAutoCommit()) {
          connection.commit();
        }
      } catch (SQLException e) {
        throw new RiverException("cannot create the table " + table + " of the outbox", e);
      }
      outbox.relay = OutboxRelay.builder(queue, queue.converter(), dataSource).table(table).start();
      return outbox;
    }
  }

  /** Writes a message, as {@link #write(Connection, Message)} does. */
  public void publish(Connection connection, Message<M> message) throws SQLException {
    write(connection, message);
  }

  /** Ends the relay that it has started, if there is one. Idempotent. */
  @Override
  public void close() {
    if (relay != null) {
      relay.close();
    }
  }

  /**
   * Returns the statements that create the tables in the database of a connection, for programs
   * that run them elsewhere.
   */
  public List<String> ddl(Connection connection) throws SQLException {
    return OutboxDialect.of(connection).ddl(table);
  }

  /** Creates the tables if they do not exist. Some databases commit with that. */
  public void createTables(Connection connection) throws SQLException {
    createTables(connection, table);
  }

  static void createTables(Connection connection, String table) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String sql : OutboxDialect.of(connection).ddl(table)) {
        statement.execute(sql);
      }
    }
  }

  /** Writes a message without key and headers, as {@link #write(Connection, Message)} does. */
  public void write(Connection connection, M data) throws SQLException {
    write(connection, Message.of(data));
  }

  /**
   * Writes a message in the transaction of a connection; it is in the outbox once that is
   * committed.
   *
   * @throws RiverException the key or the id has no UTF-8 form or is longer than 65,535 bytes;
   *     nothing was written
   * @throws SQLException the database refused it; if the table is missing, the message has the
   *     statements that create it
   */
  public void write(Connection connection, Message<M> message) throws SQLException {
    writeAll(connection, List.of(message));
  }

  /**
   * Writes messages in the transaction of a connection, with few round trips.
   *
   * @throws RiverException as {@link #write(Connection, Message)} does; nothing was written
   */
  public void writeAll(Connection connection, List<Message<M>> messages) throws SQLException {
    Sql.requireTransaction(connection, "messages");
    if (messages.isEmpty()) {
      return;
    }
    boolean notifies = OutboxDialect.of(connection) == OutboxDialect.POSTGRESQL;
    try {
      if (notifies && messages.size() == 1) {
        insertAndNotify(connection, messages.get(0));
        return;
      }
      insert(connection, messages);
      if (notifies) {
        notifyRelay(connection);
      }
    } catch (SQLException e) {
      throw explained(e, connection, table);
    }
  }

  private void insert(Connection connection, List<Message<M>> messages) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement("insert into " + table + COLUMNS)) {
      for (Message<M> message : messages) {
        set(statement, message);
        statement.addBatch();
      }
      statement.executeBatch();
    }
  }

  /** Inserts and notifies in one round trip. PostgreSQL notifies at the commit, once. */
  private void insertAndNotify(Connection connection, Message<M> message) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            "with written as (insert into "
                + table
                + COLUMNS
                + " returning queue_name) select pg_notify('"
                + OutboxDialect.channel(table)
                + "', queue_name) from written")) {
      set(statement, message);
      statement.execute();
    }
  }

  private void notifyRelay(Connection connection) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            "select pg_notify('" + OutboxDialect.channel(table) + "', ?)")) {
      statement.setString(1, queue);
      statement.execute();
    }
  }

  private void set(PreparedStatement statement, Message<M> message) throws SQLException {
    byte[] data = converter.toBytes(message.data());
    statement.setString(1, queue);
    statement.setString(2, checked("key", message.key()));
    statement.setString(3, checked("id", message.id()));
    message.headers().keySet().forEach(name -> checked("name of a header", name));
    statement.setBytes(4, OutboxHeaders.toBytes(message.headers()));
    setMicros(statement, 5, message.delayedFrom(time.wallTime()).delay());
    setMicros(statement, 6, message.expiry());
    statement.setLong(7, time.epochMicros());
    statement.setInt(8, data.length);
    statement.setBytes(9, data);
  }

  private static void setMicros(
      PreparedStatement statement, int column, @Nullable Duration duration) throws SQLException {
    if (duration == null) {
      statement.setNull(column, Types.BIGINT);
    } else {
      statement.setLong(column, micros(duration));
    }
  }

  private static long micros(Duration duration) {
    try {
      return TimeUnit.NANOSECONDS.toMicros(duration.toNanos());
    } catch (ArithmeticException e) {
      return Long.MAX_VALUE; // longer than 292 years
    }
  }

  /** Refuses a text here that the queue would refuse later, when no transaction can be undone. */
  private static @Nullable String checked(String what, @Nullable String text) {
    if (text == null) {
      return null;
    }
    try {
      ByteBuffer bytes = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
      if (bytes.remaining() > MOST_BYTES) {
        throw new RiverException(
            String.format(
                "the %s of a message has %d bytes in UTF-8; %d are allowed",
                what, bytes.remaining(), MOST_BYTES));
      }
    } catch (CharacterCodingException e) {
      throw new RiverException(
          "the " + what + " of a message has half a surrogate pair, which UTF-8 cannot hold", e);
    }
    return text;
  }

  /** Returns the failure, with the statements that help if a table is missing. */
  static SQLException explained(SQLException e, Connection connection, String table)
      throws SQLException {
    if (!Sql.missesTable(e)) {
      return e;
    }
    String ddl = String.join("; ", OutboxDialect.of(connection).ddl(table));
    return new SQLException(
        String.format(
            "the outbox has no table %s (%s); call Outbox.createTables, or run: %s",
            table, e.getMessage(), ddl),
        e.getSQLState(),
        e.getErrorCode(),
        e);
  }

  @Override
  public String toString() {
    return "Outbox[queue " + queue + ", table " + table + "]";
  }
}
