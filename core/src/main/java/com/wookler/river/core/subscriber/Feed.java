package com.wookler.river.core.subscriber;

import com.wookler.river.core.ack.Ledger;
import com.wookler.river.core.log.BlockLog;
import com.wookler.river.core.log.LogReader;
import com.wookler.river.core.message.DamagedMessageException;
import com.wookler.river.core.message.StoredMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Finds what a subscriber is to be given next: first what is to be delivered again, then what is
 * new in the log.
 *
 * <p>Guarded by the subscriber's lock.
 */
final class Feed<M> implements AutoCloseable {
  private static final long SECOND = TimeUnit.SECONDS.toMillis(1);
  private static final int FIRST_CAPACITY = 64;

  private final DurableSubscriber<M> subscriber;
  private final BlockLog log;
  private final Ledger ledger;
  private final LogReader reader;
  private final Redeliveries redeliveries;
  private final boolean ackRequired;

  Feed(DurableSubscriber<M> subscriber, SubscriberContext<M> context, Ledger ledger) {
    this.subscriber = subscriber;
    this.log = context.log();
    this.ledger = ledger;
    this.reader = log.reader();
    this.redeliveries = new Redeliveries(context.identity(), log, context.cache());
    this.ackRequired = subscriber.config().ackRequired();
  }

  /**
   * Hands over up to so many messages.
   *
   * @throws DamagedMessageException the first of them is damaged; nothing was handed over
   */
  List<Delivery<M>> take(int max, long nowMillis) {
    if (ackRequired) {
      ledger.expire(nowMillis);
    }
    Delivery<M> first = poll(nowMillis);
    if (first == null) {
      return List.of();
    }
    if (max == 1) {
      return List.of(first);
    }
    List<Delivery<M>> taken = new ArrayList<>(Math.min(max, FIRST_CAPACITY));
    for (Delivery<M> next = first; next != null; next = pollBehind(nowMillis)) {
      taken.add(next);
      if (taken.size() == max) {
        break;
      }
    }
    return taken;
  }

  /**
   * What was handed over must reach its consumer, so damage behind it is left to the next call,
   * which meets it again.
   */
  private @Nullable Delivery<M> pollBehind(long nowMillis) {
    try {
      return poll(nowMillis);
    } catch (DamagedMessageException e) {
      return null;
    }
  }

  private @Nullable Delivery<M> poll(long nowMillis) {
    if (ackRequired) {
      long again = ledger.nextReady();
      if (again >= 0) {
        StoredMessage message = redeliveries.read(again, ledger.location(again));
        return delivery(message, ledger.redeliver(again, nowMillis), nowMillis);
      }
    }
    if (!ledger.hasRoom()) {
      return null;
    }
    long position = ledger.position();
    reader.moveTo(position);
    StoredMessage message = reader.next();
    return message == null
        ? null
        : delivery(message, ledger.handOver(position, reader.location(), nowMillis), nowMillis);
  }

  private Delivery<M> delivery(StoredMessage message, long ticket, long nowMillis) {
    return new MessageDelivery<>(subscriber, message, ticket, (int) (nowMillis / SECOND));
  }

  /** Whether a further take would find something now. */
  boolean hasMore() {
    return ledger.nextReady() >= 0 || (ledger.hasRoom() && ledger.position() < log.nextSequence());
  }

  /** Lets go of a block that is finished. */
  void leave(int block) {
    reader.leave(block);
    redeliveries.leave(block);
  }

  @Override
  public void close() {
    reader.close();
    redeliveries.close();
  }
}
