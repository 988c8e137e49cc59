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
 * What a processor passed on in the place of a message: its own data, key and headers, the source's
 * sequence, attempt, time and receipt. Its verdicts count towards the source's.
 */
final class Passed<M> implements Delivery<M> {
  private final Course<M> course;
  private final int index;
  private final Message<M> message;
  private final BiConsumer<Delivery<M>, ProcessResult<M>> decider;
  private final AtomicBoolean decided = new AtomicBoolean();

  /**
   * A message that goes on.
   *
   * @param index the how manieth it is, from 0
   * @param decider carries out at once what is decided by this object's own methods
   */
  Passed(
      Course<M> course,
      int index,
      Message<M> message,
      BiConsumer<Delivery<M>, ProcessResult<M>> decider) {
    this.course = course;
    this.index = index;
    this.message = message;
    this.decider = decider;
  }

  Delivery<M> source() {
    return course.source();
  }

  int index() {
    return index;
  }

  /**
   * Takes a result; only the first counts.
   *
   * @return the source's, if this was the last that it waited for
   */
  @Nullable ProcessResult<M> decide(ProcessResult<M> result) {
    return decided.compareAndSet(false, true) ? course.decided(result) : null;
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
    decider.accept(this, ProcessResult.done());
  }

  @Override
  public void nack(Duration delay) {
    decider.accept(this, ProcessResult.retry(delay));
  }

  @Override
  public void nack() {
    decider.accept(this, ProcessResult.retry());
  }

  @Override
  public void release() {
    decider.accept(this, ProcessResult.release());
  }

  @Override
  public void reject(String reason) {
    decider.accept(this, ProcessResult.reject(reason));
  }

  @Override
  public void fail(Throwable cause) {
    decider.accept(this, ProcessResult.failed(cause));
  }

  @Override
  public void extend(Duration time) {
    source().extend(time);
  }

  @Override
  public String toString() {
    return "in the place of " + source();
  }
}
