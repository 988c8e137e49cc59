package com.wookler.river.reactor;

import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Settlement;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A message of a source as a processor sees it: what acknowledges it is an answer in its batch.
 *
 * @param <M> type of the data
 */
final class SourceDelivery<M> implements Delivery<M> {
  private static final Duration LONGEST = Duration.ofDays(36_500); // fits into nanoseconds

  private final Delivery<M> message;
  private final SourceBatch<M> batch;
  private final int index;

  SourceDelivery(Delivery<M> message, SourceBatch<M> batch, int index) {
    this.message = message;
    this.batch = batch;
    this.index = index;
  }

  /** Returns the time, or the longest that can be waited for. */
  static Duration bounded(Duration time) {
    return time.compareTo(LONGEST) > 0 ? LONGEST : time;
  }

  /** Notes for its batch that the chain has seen it. */
  void processed() {
    batch.processed();
  }

  @Override
  public long sequence() {
    return message.sequence();
  }

  @Override
  public long place() {
    return message.place();
  }

  @Override
  public int attempt() {
    return message.attempt();
  }

  @Override
  public @Nullable String id() {
    return message.id();
  }

  @Override
  public @Nullable String previousFailure() {
    return message.previousFailure();
  }

  @Override
  public M data() {
    return message.data();
  }

  @Override
  public byte @Nullable [] bytes() {
    return message.bytes();
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
    return message.receipt();
  }

  @Override
  public void ack() {
    batch.answer(index, Settlement.ack());
  }

  @Override
  public void nack(Duration delay) {
    batch.answer(index, Settlement.nack(bounded(delay)));
  }

  @Override
  public void nack() {
    nack(batch.backoff(message));
  }

  @Override
  public void nack(@Nullable Duration delay, String reason) {
    Duration known = delay == null ? batch.backoff(message) : delay;
    batch.answer(index, Settlement.nack(bounded(known), reason));
  }

  @Override
  public void fail(Throwable cause) {
    nack(null, String.valueOf(cause));
  }

  @Override
  public void reject(String reason) {
    batch.answer(index, Settlement.reject(reason));
  }

  @Override
  public void release() {
    batch.answer(index, Settlement.release());
  }

  /**
   * Has an answer that comes after the chain waited for as long; while the chain runs, the source
   * keeps the batch anyway.
   */
  @Override
  public void extend(Duration time) {
    batch.extend(time);
  }
}
