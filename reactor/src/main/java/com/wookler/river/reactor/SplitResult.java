package com.wookler.river.reactor;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.core.subscriber.Delivery;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Combines the results of the messages that replaced one: the source message gets the worst of
 * them, once all are known. Thread-safe.
 */
final class SplitResult<M> {
  private final Delivery<M> source;

  @GuardedBy("this")
  private int open;

  @GuardedBy("this")
  private ProcessResult<M> worst = ProcessResult.done();

  SplitResult(Delivery<M> source, int messages) {
    this.source = source;
    this.open = messages;
  }

  /** Returns the message that was replaced. */
  Delivery<M> source() {
    return source;
  }

  /**
   * Adds the result of one of the messages.
   *
   * @return the result of the source; null while other messages have none
   */
  synchronized @Nullable ProcessResult<M> add(ProcessResult<M> result) {
    if (isWorse(result, worst)) {
      worst = result;
    }
    open--;
    return open == 0 ? worst : null;
  }

  private static boolean isLonger(@Nullable Duration delay, @Nullable Duration than) {
    return delay != null && (than == null || delay.compareTo(than) > 0);
  }

  private static <M> boolean isWorse(ProcessResult<M> result, ProcessResult<M> than) {
    int worse = result.kind().compareTo(than.kind());
    return worse == 0 ? isLonger(result.delay(), than.delay()) : worse > 0;
  }
}
