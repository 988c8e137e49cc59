package com.wookler.river.reactor;

import com.wookler.river.core.message.Message;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of a message that a processor has handled; immutable.
 *
 * @param <M> type of the data
 */
public final class ProcessResult<M> {
  /** What kinds there are; of several for one message the last of this order counts. */
  enum Kind {
    /** Finished; no further processor of the chain sees it. */
    DONE,
    /** On to the next processor; behind the last one it is finished. */
    PASS,
    /** Somebody else will say so. */
    LATER,
    /** Given up. */
    REJECT,
    /** To be delivered again. */
    RETRY,
    /** Handling it ended with a throwable. */
    FAILED,
    /** Given back as if it had not been delivered. */
    RELEASE
  }

  private static final ProcessResult<?> DONE = of(Kind.DONE);
  private static final ProcessResult<?> PASS = of(Kind.PASS);
  private static final ProcessResult<?> RETRY = of(Kind.RETRY);
  private static final ProcessResult<?> RELEASE = of(Kind.RELEASE);
  private static final ProcessResult<?> LATER = of(Kind.LATER);

  private final Kind kind;
  private final @Nullable Duration delay;
  private final @Nullable String reason;
  private final @Nullable Throwable cause;
  private final @Nullable List<Message<M>> messages;

  private ProcessResult(
      Kind kind,
      @Nullable Duration delay,
      @Nullable String reason,
      @Nullable Throwable cause,
      @Nullable List<Message<M>> messages) {
    this.kind = kind;
    this.delay = delay;
    this.reason = reason;
    this.cause = cause;
    this.messages = messages;
  }

  private static <M> ProcessResult<M> of(Kind kind) {
    return new ProcessResult<>(kind, null, null, null, null);
  }

  @SuppressWarnings("unchecked") // these hold nothing of type M
  private static <M> ProcessResult<M> shared(ProcessResult<?> result) {
    return (ProcessResult<M>) result;
  }

  /** Finished: it is acknowledged, and processors further down the chain do not see it. */
  public static <M> ProcessResult<M> done() {
    return shared(DONE);
  }

  /** The same by the word of the subscriber: {@link #done}. */
  public static <M> ProcessResult<M> ack() {
    return done();
  }

  /** On to the next processor as it is; behind the last one it is finished. */
  public static <M> ProcessResult<M> pass() {
    return shared(PASS);
  }

  /** In its place this message goes on to the next processor. */
  public static <M> ProcessResult<M> pass(Message<M> message) {
    return pass(List.of(message));
  }

  /**
   * In its place these messages go on to the next processor. It is finished when all of them are;
   * if one of them is to be retried or fails, then it is, and all of them come again.
   *
   * @param messages none: as {@link #done}
   */
  public static <M> ProcessResult<M> pass(List<Message<M>> messages) {
    return messages.isEmpty()
        ? done()
        : new ProcessResult<>(Kind.PASS, null, null, null, List.copyOf(messages));
  }

  /** To be delivered again after the subscriber's backoff; the attempt counts. */
  public static <M> ProcessResult<M> retry() {
    return shared(RETRY);
  }

  /**
   * To be delivered again after a delay; the attempt counts.
   *
   * @param delay zero or more
   */
  public static <M> ProcessResult<M> retry(Duration delay) {
    if (delay.isNegative()) {
      throw new IllegalArgumentException("a delay of " + delay);
    }
    return new ProcessResult<>(Kind.RETRY, delay, null, null, null);
  }

  /** Given up: it becomes a dead letter of its subscriber, with this reason. */
  public static <M> ProcessResult<M> reject(String reason) {
    return new ProcessResult<>(
        Kind.REJECT, null, Objects.requireNonNull(reason, "reason"), null, null);
  }

  /**
   * Nothing yet: somebody will decide by the delivery's own methods, from any thread. Until then
   * the message counts as in flight, and its acknowledgement timeout runs.
   */
  public static <M> ProcessResult<M> later() {
    return shared(LATER);
  }

  /** Handling it ended with this, as if the processor had thrown it: for one of a batch. */
  public static <M> ProcessResult<M> failed(Throwable cause) {
    return new ProcessResult<>(Kind.FAILED, null, null, cause, null);
  }

  /** Finished, though handling it ended with this. */
  static <M> ProcessResult<M> ignored(Throwable cause) {
    return new ProcessResult<>(Kind.DONE, null, null, cause, null);
  }

  /**
   * Given back as if it had not been delivered: available at once, and the attempt does not count.
   */
  public static <M> ProcessResult<M> release() {
    return shared(RELEASE);
  }

  /**
   * Given back as {@link #release} does, and the reactor takes no messages for a time: for when
   * what a processor depends on is away, so that the next message would fare no better. Give back
   * what stands behind it in the batch too, and one thread goes on in order.
   *
   * @param hold zero or more
   */
  public static <M> ProcessResult<M> holdBack(Duration hold) {
    return held(hold, null);
  }

  /**
   * The same, because of what happened, which is logged and counted as an exception. A {@link
   * com.wookler.river.reactor.processors.RetryProcessor} around the processor judges it as if the
   * processor had thrown it.
   *
   * @param hold zero or more
   */
  public static <M> ProcessResult<M> holdBack(Duration hold, Throwable cause) {
    return held(hold, Objects.requireNonNull(cause, "cause"));
  }

  private static <M> ProcessResult<M> held(Duration hold, @Nullable Throwable cause) {
    if (hold.isNegative()) {
      throw new IllegalArgumentException("a hold of " + hold);
    }
    return new ProcessResult<>(Kind.RELEASE, hold, null, cause, null);
  }

  Kind kind() {
    return kind;
  }

  /** Of a retry (null: the subscriber's backoff), or how long the reactor is held back. */
  @Nullable Duration delay() {
    return delay;
  }

  String reason() {
    return Objects.requireNonNull(reason);
  }

  /** Whether the message was handled: finished, passed on, or taken over to be decided later. */
  public boolean isSuccess() {
    return kind == Kind.DONE || kind == Kind.PASS || kind == Kind.LATER;
  }

  /** Whether it is to be delivered again, by a result and not by an exception. */
  public boolean isRetry() {
    return kind == Kind.RETRY;
  }

  /** Whether it is given back as if it had not been delivered. */
  public boolean isReleased() {
    return kind == Kind.RELEASE;
  }

  /** Of a retry that names one, or a hold: for how long; else null. */
  public @Nullable Duration pause() {
    return delay;
  }

  /** What handling it ended with; null if it ended well. */
  public @Nullable Throwable cause() {
    return cause;
  }

  /** What goes on in its place; null: the message itself. */
  @Nullable List<Message<M>> messages() {
    return messages;
  }

  @Override
  public String toString() {
    return switch (kind) {
      case RETRY -> "RETRY" + (delay == null ? "" : " after " + delay);
      case RELEASE -> "RELEASE" + (delay == null ? "" : " and hold back for " + delay);
      case REJECT -> "REJECT: " + reason;
      case FAILED -> "FAILED: " + cause;
      default -> kind.name();
    };
  }
}
