package com.wookler.river.jdbc;

import com.wookler.river.common.TimeSource;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.common.settings.Settings;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.Origin;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.core.message.QueueFailedException;
import com.wookler.river.core.message.QueueFullException;
import com.wookler.river.core.message.QueueStatusException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves messages over one connection, until that fails. Confined to the relay's thread.
 *
 * <p>A batch takes one transaction: it deletes the messages of the claim that is on the device in
 * the queue, and stores the next claim. A claim gives each message a position, which the queue
 * knows by {@link MessageQueue#lastFrom}; so what was published before a kill is left out after it.
 */
final class OutboxSession<M> implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(OutboxSession.class);
  private static final long LOOK_NANOS = Duration.ofSeconds(5).toNanos();

  private final Connection connection;
  private final MessageQueue<M> queue;
  private final MessageConverter<M> converter;
  private final Settings settings;
  private final TimeSource time;
  private final OutboxTable table;
  private final OutboxLease lease;
  private final boolean commitsItself; // before, as the pool wants it back
  private final int isolation;
  private @Nullable PostgresNotifications notifications;
  private OutboxClaim claim = new OutboxClaim("", 0, List.of());
  private @Nullable Set<Long> others; // that other queues have claimed, or deleted since
  private OutboxTable.@Nullable Waiting waiting;
  private long lookedAt;

  /**
   * Takes a connection, which {@link #close} gives back.
   *
   * @param lease that of the relay, which outlives a connection
   */
  OutboxSession(
      Connection connection,
      MessageQueue<M> queue,
      MessageConverter<M> converter,
      Settings settings,
      OutboxLease lease,
      TimeSource time)
      throws SQLException {
    this.connection = connection;
    this.queue = queue;
    this.converter = converter;
    this.settings = settings;
    this.lease = lease;
    this.time = time;
    this.table =
        new OutboxTable(
            connection,
            settings.get(OutboxOptions.NAME),
            queue.name(),
            queue.identity().toString());
    this.lookedAt = time.nanoTime() - LOOK_NANOS;
    this.commitsItself = connection.getAutoCommit();
    this.isolation = connection.getTransactionIsolation();
  }

  /** Finds out what was claimed, and begins to listen. */
  void open() throws SQLException {
    connection.setAutoCommit(false);
    connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
    String name = settings.get(OutboxOptions.NAME);
    if (settings.is(OutboxOptions.CREATE)) {
      Outbox.createTables(connection, name);
      connection.commit();
    }
    try {
      claim = table.open();
    } catch (SQLException e) {
      throw Outbox.explained(e, connection, name);
    }
    connection.commit();
    requireKnown();
    if (OutboxDialect.of(connection) == OutboxDialect.POSTGRESQL) {
      notifications = PostgresNotifications.listen(connection, name, queue.name());
    }
  }

  /** Refuses a table that is older than the queue: its positions are known, its messages not. */
  private void requireKnown() {
    long last = queue.lastFrom(Origin.of(claim.origin())).orElse(-1);
    if (last >= claim.next()) {
      String name = settings.get(OutboxOptions.NAME);
      throw new RiverException(
          String.format(
              "queue %s: it has position %d of table %s, which has given %d only: the database was"
                  + " restored from a copy. What it has may be in the queue already; to move it all"
                  + " the same: delete from %s_relay where queue_name = '%s' and queue_id = '%s'",
              queue.name(), last, name, claim.next(), name, queue.name(), queue.identity()));
    }
  }

  /** Moves the claimed messages and claims the next; returns how many were moved. */
  int step() throws SQLException {
    try {
      return move(true);
    } catch (SQLException e) {
      throw Outbox.explained(e, connection, settings.get(OutboxOptions.NAME));
    }
  }

  private int move(boolean claims) throws SQLException {
    int moved = 0;
    if (hasClaim()) {
      moved = publish();
    } else if (!lease.isDue() && !table.hasMessages()) {
      connection.commit();
      waiting = OutboxTable.Waiting.NONE;
      return 0;
    }
    table.delete(claim.ids()); // before the next are looked for, which these would be among
    moved(moved);
    OutboxClaim next = claim.then(claims ? claimable() : List.of());
    if (hasClaim() || !next.ids().isEmpty()) {
      table.replace(claim, next);
    }
    look();
    connection.commit();
    claim = next;
    return moved;
  }

  /** Moves what is claimed, so that it does not wait for this queue, and ends the lease. */
  void finish() throws SQLException {
    if (hasClaim()) {
      move(false);
    }
    table.releaseLease();
    connection.commit();
  }

  /** Returns whether the next step has messages to move. */
  boolean hasClaim() {
    return !claim.ids().isEmpty();
  }

  private void moved(int messages) {
    if (waiting != null) {
      waiting =
          new OutboxTable.Waiting(
              Math.max(0, waiting.messages() - messages), waiting.oldestMicros());
    }
  }

  /** Publishes what is claimed and forces the queue; returns how many messages were there. */
  private int publish() throws SQLException {
    List<OutboxRow> rows = table.load(claim.ids());
    connection.commit(); // no transaction is open while the queue may wait
    Origin origin = Origin.of(claim.origin());
    long now = time.epochMicros();
    int index = 0;
    for (OutboxRow row : rows) {
      while (claim.ids().get(index) != row.id()) {
        index++; // one that was deleted by hand
      }
      publish(origin, claim.position(index), row, now);
    }
    queue.force();
    return rows.size();
  }

  private void publish(Origin origin, long position, OutboxRow row, long now) {
    try {
      queue.putFrom(origin, position, row.message(converter, now), Durability.MEMORY);
    } catch (QueueClosedException
        | QueueFullException
        | QueueFailedException
        | QueueStatusException e) {
      throw e; // which is not due to the message
    } catch (RuntimeException e) {
      throw new RiverException(
          String.format(
              "queue %s refuses the message with id %d of table %s, and those after it wait: %s",
              queue.name(), row.id(), settings.get(OutboxOptions.NAME), e.getMessage()),
          e);
    }
  }

  /** Returns what to claim now; none if another instance moves, or claims at this moment. */
  private List<Long> claimable() throws SQLException {
    OutboxLease.Row seen = table.lease(false); // so that an instance that waits locks nothing
    OutboxLease.Row row = seen == null || !lease.mayClaim(seen) ? null : table.lease(true);
    if (row == null || !lease.mayClaim(row)) {
      return List.of();
    }
    if (others == null || lease.isNew(row)) {
      others = table.claimedByOthers();
    }
    if (lease.isNew(row) || lease.isDue()) {
      table.writeLease(lease.renewed(row));
    }
    OutboxTable.Next next =
        table.next(
            settings.number(OutboxOptions.BATCH_MESSAGES),
            settings.get(OutboxOptions.BATCH_BYTES),
            others);
    if (waiting != null) {
      waiting =
          new OutboxTable.Waiting(
              Math.max(waiting.messages(), next.ids().size()), next.oldestMicros());
    }
    return next.ids();
  }

  private void look() throws SQLException {
    if (time.nanoTime() - lookedAt >= LOOK_NANOS) {
      waiting = table.waiting();
      lookedAt = time.nanoTime();
    }
  }

  /** Looks at what waits after a failure, if the database can be read; changes nothing. */
  void lookAfterFailure() {
    try {
      connection.rollback();
      waiting = table.waiting();
      connection.rollback();
    } catch (SQLException | RuntimeException e) {
      LOG.debug("Queue {}: cannot count what waits in the outbox", queue.name(), e);
    }
  }

  /** Returns what waits as far as this session knows; null before its first look. */
  OutboxTable.@Nullable Waiting waiting() {
    return waiting;
  }

  /** Returns whether a notification can end a wait: if not, the caller polls. */
  boolean listens() {
    return notifications != null;
  }

  /** Waits for a notification; returns whether there was one. */
  boolean awaitNotification(int millis) throws SQLException {
    return notifications != null && notifications.await(millis);
  }

  /** Gives the connection back as it was, or closes it if that fails. */
  @Override
  public void close() {
    try (connection) {
      connection.rollback();
      if (notifications != null) {
        notifications.close();
      }
      connection.setTransactionIsolation(isolation);
      connection.setAutoCommit(commitsItself);
    } catch (SQLException e) {
      LOG.debug("Queue {}: cannot close the connection of the outbox", queue.name(), e);
    }
  }
}
