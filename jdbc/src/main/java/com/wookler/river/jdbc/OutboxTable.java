package com.wookler.river.jdbc;

import com.wookler.river.common.errors.RiverException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The statements of a relay over one connection, for one queue. Commits nothing but the rows that
 * it creates. Not thread-safe.
 */
final class OutboxTable {
  private static final int MOST_COUNTED = 100_000;

  private final Connection connection;
  private final String table;
  private final String queue;
  private final String queueId;

  /** The number of messages that wait, and when the oldest was written; 0 if there is none. */
  record Waiting(long messages, long oldestMicros) {
    static final Waiting NONE = new Waiting(0, 0);
  }

  /** What to claim next, and when the oldest message was written; 0 if there is none. */
  record Next(List<Long> ids, long oldestMicros) {}

  OutboxTable(Connection connection, String table, String queue, String queueId) {
    this.connection = connection;
    this.table = table;
    this.queue = queue;
    this.queueId = queueId;
  }

  /** Returns the queue's claim; creates its row, and that of the lease, where they are missing. */
  OutboxClaim open() throws SQLException {
    insertUnlessPresent(
        "select 1 from " + table + "_lease where queue_name = ?",
        "insert into " + table + "_lease (queue_name, holder, beat) values (?, '', 0)",
        queue);
    insertUnlessPresent(
        "select 1 from " + table + "_relay where queue_name = ? and queue_id = ?",
        "insert into "
            + table
            + "_relay (queue_name, queue_id, next_position, claimed, origin)"
            + " values (?, ?, 0, '', '"
            + UUID.randomUUID()
            + "')",
        queue,
        queueId);
    try (PreparedStatement statement =
            prepare(
                "select origin, next_position, claimed from "
                    + table
                    + "_relay where queue_name = ? and queue_id = ?",
                queue,
                queueId);
        ResultSet row = statement.executeQuery()) {
      if (!row.next()) {
        throw new RiverException("the row of queue " + queueId + " was deleted meanwhile");
      }
      return OutboxClaim.of(
          "outbox " + row.getString(1), row.getLong(2), String.valueOf(row.getString(3)));
    }
  }

  private void insertUnlessPresent(String select, String insert, String... values)
      throws SQLException {
    if (!exists(select, values)) {
      try (PreparedStatement statement = prepare(insert, values)) {
        statement.executeUpdate();
        connection.commit();
      } catch (SQLException e) {
        connection.rollback();
        if (!Sql.violatesConstraint(e)) {
          throw e;
        } // else another instance was faster
      }
    }
  }

  private boolean exists(String select, String... values) throws SQLException {
    try (PreparedStatement statement = prepare(select, values);
        ResultSet row = statement.executeQuery()) {
      return row.next();
    }
  }

  /** Returns whether there is any message, claimed or not. */
  boolean hasMessages() throws SQLException {
    return exists("select 1 from " + table + " where queue_name = ? limit 1", queue);
  }

  /** Returns the lease; locked until the end of the transaction, or null if another has it. */
  OutboxLease.@Nullable Row lease(boolean locked) throws SQLException {
    String select = "select holder, beat from " + table + "_lease where queue_name = ?";
    try (PreparedStatement statement =
            prepare(locked ? select + " for update skip locked" : select, queue);
        ResultSet row = statement.executeQuery()) {
      return row.next() ? new OutboxLease.Row(row.getString(1), row.getLong(2)) : null;
    }
  }

  void writeLease(OutboxLease.Row lease) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            "update " + table + "_lease set holder = ?, beat = ? where queue_name = ?")) {
      statement.setString(1, lease.holder());
      statement.setLong(2, lease.beat());
      statement.setString(3, queue);
      statement.executeUpdate();
    }
  }

  /** Lets another instance take over at once. */
  void releaseLease() throws SQLException {
    try (PreparedStatement statement =
        prepare(
            "update " + table + "_lease set holder = '' where queue_name = ? and holder = ?",
            queue,
            queueId)) {
      statement.executeUpdate();
    }
  }

  /** Returns the messages that other queues have claimed and not deleted yet. */
  Set<Long> claimedByOthers() throws SQLException {
    Set<Long> claimed = new HashSet<>();
    try (PreparedStatement statement =
            prepare(
                "select claimed from " + table + "_relay where queue_name = ? and queue_id <> ?",
                queue,
                queueId);
        ResultSet rows = statement.executeQuery()) {
      while (rows.next()) {
        claimed.addAll(OutboxClaim.of("", 0, String.valueOf(rows.getString(1))).ids());
      }
    }
    return claimed;
  }

  /** Returns the next messages within these limits, but one at least if there is one. */
  Next next(int messages, long bytes, Set<Long> excluded) throws SQLException {
    List<Long> ids = new ArrayList<>();
    long sum = 0;
    long oldest = 0;
    try (PreparedStatement statement =
            prepare(
                "select id, data_bytes, written_micros from "
                    + table
                    + " where queue_name = ? order by id limit "
                    + (messages + excluded.size()),
                queue);
        ResultSet rows = statement.executeQuery()) {
      while (ids.size() < messages && rows.next()) {
        oldest = oldest == 0 ? rows.getLong(3) : oldest;
        long id = rows.getLong(1);
        if (excluded.contains(id)) {
          continue;
        }
        sum += rows.getLong(2);
        if (sum > bytes && !ids.isEmpty()) {
          break;
        }
        ids.add(id);
      }
    }
    return new Next(ids, oldest);
  }

  /** Returns the messages of a claim that are in the table still, in its order. */
  List<OutboxRow> load(List<Long> ids) throws SQLException {
    List<OutboxRow> rows = new ArrayList<>(ids.size());
    try (PreparedStatement statement =
            prepare(
                "select "
                    + OutboxRow.COLUMNS
                    + " from "
                    + table
                    + " where queue_name = ? and id in "
                    + Sql.list(ids)
                    + " order by id",
                queue);
        ResultSet found = statement.executeQuery()) {
      while (found.next()) {
        rows.add(new OutboxRow(found));
      }
    }
    return rows;
  }

  void delete(List<Long> ids) throws SQLException {
    if (!ids.isEmpty()) {
      try (PreparedStatement statement =
          prepare(
              "delete from " + table + " where queue_name = ? and id in " + Sql.list(ids), queue)) {
        statement.executeUpdate();
      }
    }
  }

  /** Stores the claim that follows another one. */
  void replace(OutboxClaim done, OutboxClaim next) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            "update "
                + table
                + "_relay set next_position = ?, claimed = ? where queue_name = ? and queue_id = ?"
                + " and next_position = ?")) {
      statement.setLong(1, next.next());
      statement.setString(2, next.text());
      statement.setString(3, queue);
      statement.setString(4, queueId);
      statement.setLong(5, done.next());
      if (statement.executeUpdate() != 1) {
        throw new RiverException(
            String.format(
                "queue %s: another relay moves messages of table %s into this queue too; close one",
                queue, table));
      }
    }
  }

  Waiting waiting() throws SQLException {
    try (PreparedStatement statement =
            prepare(
                "select count(*), min(written_micros) from (select written_micros from "
                    + table
                    + " where queue_name = ? order by id limit "
                    + MOST_COUNTED
                    + ") oldest",
                queue);
        ResultSet row = statement.executeQuery()) {
      row.next();
      return new Waiting(row.getLong(1), row.getLong(2));
    }
  }

  private PreparedStatement prepare(String sql, String... values) throws SQLException {
    PreparedStatement statement = connection.prepareStatement(sql);
    for (int i = 0; i < values.length; i++) {
      statement.setString(i + 1, values[i]);
    }
    return statement;
  }
}
