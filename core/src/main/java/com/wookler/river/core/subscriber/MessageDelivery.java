package com.wookler.river.core.subscriber;

import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.ack.Ledger;
import com.wookler.river.core.message.StoredMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A delivery as the subscriber hands it over; kept small, there is one a message. */
final class MessageDelivery<M> implements Delivery<M> {
  /** What its holder has decided; guarded by the subscriber's lock. */
  enum Verdict {
    NONE,
    ACKED,
    NACKED,
    RELEASED
  }

  private final DurableSubscriber<M> subscriber;
  private final StoredMessage message;
  private final long ticket;
  private final int handedOverSecond; // of the subscriber's clock
  Verdict verdict = Verdict.NONE; // guarded by the subscriber's lock
  private volatile @Nullable M data; // converted by whoever asks first

  MessageDelivery(
      DurableSubscriber<M> subscriber, StoredMessage message, long ticket, int handedOverSecond) {
    this.subscriber = subscriber;
    this.message = message;
    this.ticket = ticket;
    this.handedOverSecond = handedOverSecond;
  }

  DurableSubscriber<M> subscriber() {
    return subscriber;
  }

  long ticket() {
    return ticket;
  }

  int handedOverSecond() {
    return handedOverSecond;
  }

  @Override
  public long sequence() {
    return message.sequence();
  }

  @Override
  public int attempt() {
    return Ledger.attempt(ticket);
  }

  @Override
  public M data() {
    M known = data;
    if (known == null) {
      known = convert();
      data = known;
    }
    return known;
  }

  private M convert() {
    try {
      return subscriber.converter().fromBytes(message.data());
    } catch (RuntimeException e) {
      throw new RiverException(
          "queue "
              + subscriber.queueName()
              + ", sequence "
              + sequence()
              + ": the converter cannot read the message of "
              + message.data().length
              + " bytes: "
              + e.getMessage(),
          e);
    }
  }

  @Override
  public @Nullable String key() {
    return message.key();
  }

  @Override
  public Map<String, byte[]> headers() {
    return message.headers();
  }

  @Override
  public Instant publishedAt() {
    return message.publishedAt();
  }

  @Override
  public String receipt() {
    return subscriber.receipt(sequence(), ticket);
  }

  @Override
  public void ack() {
    subscriber.ack(this);
  }

  @Override
  public void nack(Duration delay) {
    subscriber.retry(this, delay);
  }

  @Override
  public void release() {
    subscriber.release(this);
  }

  @Override
  public void extend(Duration time) {
    subscriber.extend(this, time);
  }

  @Override
  public String toString() {
    return "Delivery[sequence=" + sequence() + ", attempt=" + attempt() + ", key=" + key() + "]";
  }
}
