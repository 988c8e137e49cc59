package com.wookler.river.core;

import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.message.StoredMessage;
import com.wookler.river.core.subscriber.Delivery;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A message that was looked up without a subscriber: attempt 0, and nothing to finish. */
final class LookedUp<M> implements Delivery<M> {
  private final StoredMessage message;
  private final MessageConverter<M> converter;

  LookedUp(StoredMessage message, MessageConverter<M> converter) {
    this.message = message;
    this.converter = converter;
  }

  @Override
  public long sequence() {
    return message.sequence();
  }

  @Override
  public int attempt() {
    return 0;
  }

  @Override
  public M data() {
    return converter.fromBytes(message.data());
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
}
