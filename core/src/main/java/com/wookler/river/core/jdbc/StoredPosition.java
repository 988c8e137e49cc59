package com.wookler.river.core.jdbc;

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
 * was left out would count as transferred as soon as a later one is, so that is refused. A message
 * that the database does not want is advanced over all the same, committed, and rejected only then.
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
   * Moves the subscriber back to where the database stands, after a transaction was rolled back:
   * deliveries that are out are void, and their messages come again.
   *
   * @throws PositionTakenException somebody else has claimed the position
   */
  public void resume(Connection connection) throws SQLException {
    moveTo(row(connection));
  }

  void moveTo(PositionStore.Row row) {
    if (!row.queueId().equals(queue.identity().toString())) {
      throw new RiverException(
          who()
              + ": the position in the database is of another queue of this name, "
              + row.queueId()
              + "; forget it if this one takes its place");
    }
    if (row.next() > queue.stats().nextSequence()) {
      throw new RiverException(
          who()
              + ": the database has sequences up to "
              + (row.next() - 1)
              + ", the queue only up to "
              + (queue.stats().nextSequence() - 1)
              + ": it is older than the database, restored from a copy perhaps");
    }
    subscriber.seek(Position.sequence(row.next()));
    long floor = subscriber.stats().ackFloor();
    if (floor > row.next()) {
      LOG.warn(
          "{}: the database waits for sequence {}, but the oldest that is left is {}; going on"
              + " there",
          who(),
          row.next(),
          floor);
    }
  }

  /**
   * Says in the transaction of this connection that a message is transferred, and whether it is new
   * to the database: only then is something to be made of it. Call it first in the transaction.
   *
   * @return false if the database has it already: it came again because its acknowledgement was
   *     lost or late
   * @throws PositionTakenException somebody else has claimed the position; roll back
   * @throws IllegalStateException a message before it is neither transferred nor finished; roll
   *     back and {@link #resume}
   */
  public boolean advance(Connection connection, Delivery<M> delivery) throws SQLException {
    return !advance(connection, List.of(delivery)).isEmpty();
  }

  /**
   * Records several messages at once as {@link #advance(Connection, Delivery)} does one.
   *
   * @return those that are new to the database, in the order of their places
   */
  public List<Delivery<M>> advance(
      Connection connection, Collection<? extends Delivery<M>> deliveries) throws SQLException {
    PositionStore.requireTransaction(connection);
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
    long floor = subscriber.stats().ackFloor();
    for (long sequence = Math.max(next, floor); sequence < last; sequence++) {
      if (!fresh.contains(sequence) && !subscriber.isFinished(sequence)) {
        throw new IllegalStateException(
            who()
                + ": sequence "
                + last
                + " cannot be transferred before "
                + sequence
                + ", which is not finished; roll back and resume");
      }
    }
  }

  private PositionTakenException taken() {
    return new PositionTakenException(
        who() + ": somebody else has claimed the position in the database");
  }

  private String who() {
    return "queue " + queue.name() + ", subscriber " + subscriber.name();
  }

  @Override
  public String toString() {
    return "StoredPosition[" + who() + ", epoch " + epoch + "]";
  }
}
