package com.wookler.river.jdbc;

import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Position;
import com.wookler.river.core.subscriber.Subscriber;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The position of one subscriber in the user's database, claimed by {@link PositionStore#claim}.
 *
 * <p>Messages are transferred in the order of their places, by one thread at a time: a message that
 * was left out would count as transferred as soon as a later one is, so that is refused. For a
 * message that the database cannot take, advance the position too, commit, and then reject it.
 * Thread-safe.
 *
 * @param <M> type of the data
 */
public final class StoredPosition<M> {
  private static final Logger LOG = LoggerFactory.getLogger(StoredPosition.class);

  private final PositionStore store;
  private final MessageQueue<M> queue;
  private final Subscriber<M> subscriber;
  private final long epoch;

  StoredPosition(PositionStore store, MessageQueue<M> queue, Subscriber<M> subscriber, long epoch) {
    this.store = store;
    this.queue = queue;
    this.subscriber = subscriber;
    this.epoch = epoch;
  }

  /**
   * Moves the subscriber back to the position in the database, after a transaction was rolled back:
   * deliveries in flight are void, and their messages are delivered again.
   *
   * @throws PositionTakenException another instance has claimed the position
   */
  public void resume(Connection connection) throws SQLException {
    moveTo(row(connection));
  }

  void moveTo(PositionStore.Row row) {
    if (!row.queueId().equals(queue.identity().toString())) {
      throw new RiverException(
          String.format(
              "%s: the position in the database is of another queue of this name, %s; forget it if"
                  + " this one replaces that",
              who(), row.queueId()));
    }
    if (row.next() > queue.stats().nextSequence()) {
      throw new RiverException(
          String.format(
              "%s: the database has sequences up to %d, the queue only up to %d: it is older than"
                  + " the database, restored from a copy perhaps",
              who(), row.next() - 1, queue.stats().nextSequence() - 1));
    }
    subscriber.seek(Position.sequence(row.next()));
    long lowWatermark = subscriber.stats().ackFloor();
    if (lowWatermark > row.next()) {
      LOG.warn(
          "{}: the database waits for sequence {}, but the oldest that is left is {}; continuing"
              + " there",
          who(),
          row.next(),
          lowWatermark);
    }
  }

  /**
   * Advances the position over a message in the transaction of this connection, and returns whether
   * the message is new to the database: only then it is to take effect. Call it first in the
   * transaction.
   *
   * @return false if the database has it already: it was delivered again because its
   *     acknowledgement was lost or late
   * @throws PositionTakenException another instance has claimed the position; roll back
   * @throws IllegalStateException a message before it is neither transferred nor completed; roll
   *     back and {@link #resume}
   */
  public boolean advance(Connection connection, Delivery<M> delivery) throws SQLException {
    return !advance(connection, List.of(delivery)).isEmpty();
  }

  /**
   * Advances the position over several messages, as {@link #advance(Connection, Delivery)}.
   *
   * @return those that are new to the database, in the order of their places
   */
  public List<Delivery<M>> advance(
      Connection connection, Collection<? extends Delivery<M>> deliveries) throws SQLException {
    Sql.requireTransaction(connection, "position");
    PositionStore.Row row = row(connection);
    SortedMap<Long, Delivery<M>> fresh = new TreeMap<>();
    for (Delivery<M> delivery : deliveries) {
      if (delivery.place() >= row.next()) {
        fresh.put(delivery.place(), delivery);
      }
    }
    if (fresh.isEmpty()) {
      return List.of();
    }
    long last = fresh.lastKey();
    requireNoneLeftOut(fresh.keySet(), row.next(), last);
    queue.force(); // else a power loss could leave the database ahead of the queue
    String set = "next_sequence = " + (last + 1);
    String expected = " and epoch = " + epoch + " and next_sequence = " + row.next();
    if (!store.update(connection, set, expected, queue.name(), subscriber.name())) {
      throw taken();
    }
    return List.copyOf(fresh.values());
  }

  private PositionStore.Row row(Connection connection) throws SQLException {
    PositionStore.Row row = store.row(connection, queue.name(), subscriber.name());
    if (row == null || row.epoch() != epoch) {
      throw taken();
    }
    return row;
  }

  private void requireNoneLeftOut(Set<Long> fresh, long next, long last) {
    long lowWatermark = subscriber.stats().ackFloor();
    for (long sequence = Math.max(next, lowWatermark); sequence < last; sequence++) {
      if (!fresh.contains(sequence) && !subscriber.isFinished(sequence)) {
        throw new IllegalStateException(
            String.format(
                "%s: sequence %d cannot be transferred before %d, which is not completed; roll back"
                    + " and resume",
                who(), last, sequence));
      }
    }
  }

  private PositionTakenException taken() {
    return new PositionTakenException(
        who() + ": another instance has claimed the position in the database");
  }

  private String who() {
    return "queue " + queue.name() + ", subscriber " + subscriber.name();
  }

  @Override
  public String toString() {
    return "StoredPosition[" + who() + ", epoch " + epoch + "]";
  }
}
