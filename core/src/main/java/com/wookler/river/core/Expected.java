package com.wookler.river.core;

import com.wookler.river.core.log.AppendCondition;
import com.wookler.river.core.message.ConflictException;
import com.wookler.river.core.message.StoredMessage;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** What a queue holds last, as the condition of a publish: see {@link MessageQueue#putAllIf}. */
public final class Expected {
  private static final long NONE = -1;

  private final @Nullable String key;
  private final long sequence;

  private Expected(@Nullable String key, long sequence) {
    this.key = key;
    this.sequence = sequence;
  }

  /** Expects that this is the next sequence of the queue: 0 if nothing was ever published. */
  public static Expected next(long sequence) {
    return new Expected(null, positive(sequence));
  }

  /**
   * Expects that the last message with this key is this one. Of a message that was delayed its
   * place counts, which is {@link com.wookler.river.core.subscriber.Delivery#place}.
   */
  public static Expected lastOf(String key, long sequence) {
    return new Expected(Objects.requireNonNull(key, "key"), positive(sequence));
  }

  /**
   * Expects that there is no message with this key in log or backup, or that the last one was
   * removed, or deletes the key in a queue that compacts: {@code latest} returns none.
   */
  public static Expected none(String key) {
    return new Expected(Objects.requireNonNull(key, "key"), NONE);
  }

  private static long positive(long sequence) {
    if (sequence < 0) {
      throw new IllegalArgumentException("sequence " + sequence);
    }
    return sequence;
  }

  /** Returns the condition, for which it has looked the key up; {@code isThere} of its last one. */
  AppendCondition condition(
      String queue, @Nullable LatestByKey keys, Predicate<StoredMessage> isThere) {
    return key == null
        ? next -> requireNext(queue, next)
        : LatestByKey.of(keys, queue).expects(key, sequence, isThere);
  }

  private void requireNext(String queue, long next) {
    if (next != sequence) {
      throw new ConflictException(
          "queue %s: expected next sequence %s, but it is %s".formatted(queue, sequence, next),
          next);
    }
  }

  @Override
  public String toString() {
    return key == null ? "next=" + sequence : "last of " + key + "=" + sequence;
  }
}
