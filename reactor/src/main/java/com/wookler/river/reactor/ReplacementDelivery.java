package com.wookler.river.reactor;

import com.wookler.river.core.message.Message;
import com.wookler.river.core.subscriber.Delivery;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A delivery that replaces another one further down the chain. It has data, key and headers of its
 * own, and the sequence, attempt, time and receipt of its source. Its result counts towards that of
 * the source ({@link SplitResult}).
 */
final class ReplacementDelivery<M> implements Delivery<M> {
  private final SplitResult<M> combined;
  private final int index;
  private final Message<M> message;
  private final BiConsumer<Delivery<M>, ProcessResult<M>> handler;
  private final AtomicBoolean completed = new AtomicBoolean();

  /**
   * Creates the delivery of one replacement.
   *
   * @param index its index among the replacements of the source, from 0
   * @param handler applies at once the result that a method of this object means
   */
  ReplacementDelivery(
      SplitResult<M> combined,
      int index,
      Message<M> message,
      BiConsumer<Delivery<M>, ProcessResult<M>> handler) {
    this.combined = combined;
    this.index = index;
    this.message = message;
    this.handler = handler;
  }

  Delivery<M> source() {
    return combined.source();
  }

  int index() {
    return index;
  }

  /**
   * Sets the result of this delivery; only the first one counts.
   *
   * @return the result of the source if it is known now; else null
   */
  @Nullable ProcessResult<M> complete(ProcessResult<M> result) {
    return completed.compareAndSet(false, true) ? combined.add(result) : null;
  }

  @Override
  public long sequence() {
    return source().sequence();
  }

  @Override
  public long place() {
    return source().place();
  }

  @Override
  public int attempt() {
    return source().attempt();
  }

  @Override
  public @Nullable String id() {
    return message.id();
  }

  @Override
  public @Nullable String previousFailure() {
    return source().previousFailure();
  }

  @Override
  public M data() {
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
    return source().publishedAt();
  }

  @Override
  public String receipt() {
    return source().receipt();
  }

  @Override
  public void ack() {
    handler.accept(this, ProcessResult.done());
  }

  @Override
  public void nack(Duration delay) {
    handler.accept(this, ProcessResult.retry(delay));
  }

  @Override
  public void nack() {
    handler.accept(this, ProcessResult.retry());
  }

  @Override
  public void release() {
    handler.accept(this, ProcessResult.release());
  }

  @Override
  public void reject(String reason) {
    handler.accept(this, ProcessResult.reject(reason));
  }

  @Override
  public void fail(Throwable cause) {
    handler.accept(this, ProcessResult.failed(cause));
  }

  @Override
  public void extend(Duration time) {
    source().extend(time);
  }

  @Override
  public String toString() {
    return "replacement " + index + " of " + source();
  }
}
