package com.wookler.river.reactor;

import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A message that a {@link DeliverySource} has taken. It is acknowledged by {@link
 * DeliverySource.Consumer#settle} only. Thread-safe.
 *
 * @param <M> type of the data
 */
public final class SourceMessage<M> implements Delivery<M> {
  private final Parts parts;
  private final byte[] bytes;
  private final MessageConverter<M> converter;
  private volatile @Nullable M data; // converted at the first call

  /**
   * What a message has beside its data.
   *
   * @param sequence names it within the source's origin
   * @param attempt 1 for its first delivery
   * @param key or null
   * @param headers unmodifiable
   * @param id or null
   * @param publishedAt when it was published
   */
  public record Parts(
      long sequence,
      int attempt,
      @Nullable String key,
      Map<String, byte[]> headers,
      @Nullable String id,
      Instant publishedAt) {}

  /** Creates a message of its data as bytes, which must not be changed. */
  public SourceMessage(Parts parts, byte[] bytes, MessageConverter<M> converter) {
    this.parts = parts;
    this.bytes = bytes;
    this.converter = converter;
  }

  @Override
  public long sequence() {
    return parts.sequence();
  }

  @Override
  public int attempt() {
    return parts.attempt();
  }

  @Override
  public @Nullable String id() {
    return parts.id();
  }

  @Override
  public M data() {
    M known = data;
    if (known == null) {
      known = converter.fromBytes(bytes); // twice perhaps, where two threads ask at once
      data = known;
    }
    return known;
  }

  @Override
  public byte[] bytes() {
    return bytes;
  }

  @Override
  public @Nullable String key() {
    return parts.key();
  }

  @Override
  public Map<String, byte[]> headers() {
    return parts.headers();
  }

  @Override
  public Instant publishedAt() {
    return parts.publishedAt();
  }

  @Override
  public String receipt() {
    return parts.sequence() + "-" + parts.attempt();
  }

  @Override
  public void ack() {
    throw settledBySource();
  }

  @Override
  public void nack(Duration delay) {
    throw settledBySource();
  }

  @Override
  public void reject(String reason) {
    throw settledBySource();
  }

  @Override
  public void release() {
    throw settledBySource();
  }

  @Override
  public void extend(Duration time) {
    throw settledBySource();
  }

  private static UnsupportedOperationException settledBySource() {
    return new UnsupportedOperationException("settled by its source only");
  }
}
