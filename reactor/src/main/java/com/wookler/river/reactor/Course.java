package com.wookler.river.reactor;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.core.subscriber.Delivery;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What became of the messages that went on in the place of one: that one is decided when all of
 * them are, by the worst of their results. Thread-safe.
 */
final class Course<M> {
  private final Delivery<M> source;

  @GuardedBy("this")
  private int open;

  @GuardedBy("this")
  private ProcessResult<M> worst = ProcessResult.done();

  Course(Delivery<M> source, int messages) {
    this.source = source;
    this.open = messages;
  }

  /** The message in whose place they went on. */
  Delivery<M> source() {
    return source;
  }

  /**
   * One of them is decided.
   *
   * @return the result of the source, null while others are open
   */
  synchronized @Nullable ProcessResult<M> decided(ProcessResult<M> result) {
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
