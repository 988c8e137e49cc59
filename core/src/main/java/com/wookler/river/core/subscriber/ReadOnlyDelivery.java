package com.wookler.river.core.subscriber;

import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.message.StoredMessage;
import com.wookler.river.core.message.Terms;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A message that was looked at without being delivered: its acknowledgements do nothing. */
public final class ReadOnlyDelivery<M> implements Delivery<M> {
  private final StoredMessage message;
  private final MessageConverter<M> converter;
  private final int attempts;
  private final String queue;

  /** Creates it for a queue of which no more is known. */
  public ReadOnlyDelivery(StoredMessage message, MessageConverter<M> converter, int attempts) {
    this("?", message, converter, attempts);
  }

  /** Creates it; {@code attempts}: deliveries that the message had, 0 without a subscriber. */
  public ReadOnlyDelivery(
      String queue, StoredMessage message, MessageConverter<M> converter, int attempts) {
    this.queue = queue;
    this.message = message;
    this.converter = converter;
    this.attempts = attempts;
  }

  @Override
  public long sequence() {
    return message.originalSequence();
  }

  @Override
  public long place() {
    return message.sequence();
  }

  @Nullable Terms terms() {
    return message.terms();
  }

  @Override
  public int attempt() {
    return attempts;
  }

  @Override
  public @Nullable String id() {
    Terms terms = terms();
    return terms == null ? null : terms.id();
  }

  @Override
  public M data() {
    byte[] bytes = message.data();
    return MessageDelivery.converted(
        queue, sequence(), bytes.length, () -> converter.fromBytes(bytes));
  }

  @Override
  public byte[] bytes() {
    return message.data();
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
    return "";
  }

  @Override
  public void ack() {}

  @Override
  public void nack(Duration delay) {}

  @Override
  public void nack() {}

  @Override
  public void fail(Throwable cause) {}

  @Override
  public void reject(String reason) {}

  @Override
  public void release() {}

  @Override
  public void extend(Duration time) {}

  @Override
  public String toString() {
    return "ReadOnlyDelivery[sequence="
        + sequence()
        + ", attempt="
        + attempts
        + ", key="
        + key()
        + "]";
  }
}
