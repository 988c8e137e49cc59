package com.wookler.river.core.subscriber;

import com.wookler.river.ack.Ledger;
import com.wookler.river.common.Micros;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.StoredMessage;
import com.wookler.river.core.message.Terms;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A delivery to a consumer; kept small, because there is one a message. */
class MessageDelivery<M> implements Delivery<M>, Acknowledgeable {
  private final DeliveryOwner<M> owner;
  private final long place;
  private final long publishedMicros;
  private final byte[] bytes;
  private final @Nullable String key;
  private final Map<String, byte[]> headers;
  private long tag; // set once, under the subscriber's lock, before a consumer has it
  // since 1970, unsigned; set once, under the subscriber's lock, before a consumer has it
  private int deliveredSecond;
  private Acknowledgement acknowledgement =
      Acknowledgement.NONE; // guarded by the subscriber's lock
  private volatile @Nullable M data; // converted by the first caller

  /** Creates it from the parts of a message: one object a message, not two. */
  MessageDelivery(
      DeliveryOwner<M> owner,
      long place,
      long publishedMicros,
      byte[] bytes,
      @Nullable String key,
      Map<String, byte[]> headers) {
    this.owner = owner;
    this.place = place;
    this.publishedMicros = publishedMicros;
    this.bytes = bytes;
    this.key = key;
    this.headers = headers;
  }

  /** Creates it from the parts of a message, which may be a re-enqueued copy. */
  static <M> MessageDelivery<M> of(
      DeliveryOwner<M> owner,
      long place,
      long micros,
      byte[] data,
      @Nullable String key,
      Map<String, byte[]> headers,
      @Nullable Terms terms) {
    if (terms == null) {
      return new MessageDelivery<>(owner, place, micros, data, key, headers);
    }
    StoredMessage message = new StoredMessage(place, micros, data, key, headers, terms);
    return new TermedDelivery<>(owner, message, terms);
  }

  static <M> MessageDelivery<M> of(DeliveryOwner<M> owner, StoredMessage message) {
    Terms terms = message.terms();
    return terms == null
        ? new MessageDelivery<>(
            owner,
            message.sequence(),
            message.publishedMicros(),
            message.data(),
            message.key(),
            message.headers())
        : new TermedDelivery<>(owner, message, terms);
  }

  void delivered(long withTag, int inSecond) {
    tag = withTag;
    deliveredSecond = inSecond;
  }

  DeliveryOwner<M> owner() {
    return owner;
  }

  @Override
  public long tag() {
    return tag;
  }

  @Override
  public Acknowledgement acknowledgement() {
    return acknowledgement == Acknowledgement.NONE
        ? owner.memory().acknowledgement(place, tag)
        : acknowledgement;
  }

  @Override
  public void acknowledgement(Acknowledgement value) {
    acknowledgement = value;
    owner.memory().acknowledged(place, tag, value);
  }

  @Override
  public int deliveredSecond() {
    return deliveredSecond;
  }

  @Override
  public final long place() {
    return place;
  }

  @Override
  public long sequence() {
    return place;
  }

  @Override
  public int attempt() {
    return Ledger.attempt(tag);
  }

  @Override
  public @Nullable String id() {
    Terms terms = terms();
    return terms == null ? null : terms.id();
  }

  @Override
  public @Nullable String previousFailure() {
    return attempt() > 1 ? owner.failure(place, attempt()) : null;
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
    return converted(
        owner.queueName(), sequence(), bytes.length, () -> owner.converter().fromBytes(bytes));
  }

  /** Returns what the converter makes of a message, and names that message where it throws. */
  static <M> M converted(String queue, long sequence, int length, Supplier<M> data) {
    try {
      return data.get();
    } catch (RuntimeException e) {
      throw new RiverException(
          "queue %s, sequence %d: the converter cannot read the message of %d bytes: %s"
              .formatted(queue, sequence, length, e.getMessage()),
          e);
    }
  }

  @Override
  public byte[] bytes() {
    return bytes;
  }

  @Override
  public @Nullable String key() {
    return key;
  }

  @Override
  public Map<String, byte[]> headers() {
    return headers;
  }

  @Override
  public Instant publishedAt() {
    return Micros.toInstant(publishedMicros);
  }

  @Override
  public String receipt() {
    owner.memory().use();
    return owner.receipts().write(place, tag, deliveredSecond);
  }

  @Override
  public void ack() {
    owner.ack(this);
  }

  @Override
  public <T> boolean ackAndPublish(ContinuationTarget<T> target, List<Message<T>> messages) {
    return owner.ackAndPublish(this, target, messages);
  }

  @Override
  public void nack(Duration delay) {
    owner.nack(this, delay);
  }

  @Override
  public void nack() {
    owner.nack(this);
  }

  @Override
  public void nack(@Nullable Duration delay, String reason) {
    owner.nack(this, delay, reason);
  }

  @Override
  public void fail(Throwable cause) {
    owner.fail(this, cause);
  }

  @Override
  public void reject(String reason) {
    owner.reject(this, reason);
  }

  @Override
  public void reject(String reason, Throwable cause) {
    owner.reject(this, reason, cause);
  }

  long publishedMicros() {
    return publishedMicros;
  }

  @Nullable Terms terms() {
    return null;
  }

  /** Returns the message, without its id and terms. */
  StoredMessage stored() {
    return stored(null);
  }

  final StoredMessage stored(@Nullable Terms terms) {
    return new StoredMessage(place, publishedMicros, bytes, key, headers, terms);
  }

  DeadLetter deadLetter(String reason, @Nullable String exception) {
    return new DeadLetter(stored(), attempt(), reason, exception);
  }

  @Override
  public void release() {
    owner.release(this);
  }

  @Override
  public void extend(Duration time) {
    owner.extend(this, time);
  }

  @Override
  public String toString() {
    return "Delivery[sequence=" + sequence() + ", attempt=" + attempt() + ", key=" + key() + "]";
  }
}
