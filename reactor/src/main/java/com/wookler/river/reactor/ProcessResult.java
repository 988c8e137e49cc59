package com.wookler.river.reactor;

import com.wookler.river.core.message.Message;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Says what the reactor does with a message after a processor. Immutable.
 *
 * @param <M> type of the data
 */
public final class ProcessResult<M> {
  /**
   * The kinds of results, in an order: of several results for one message, the last kind counts.
   */
  enum Kind {
    /** The message is acknowledged; no further processor sees it. */
    DONE,
    /** The message continues to the next processor; after the last one it is acknowledged. */
    PASS,
    /** The processor completes the message later. */
    LATER,
    /** The message becomes a dead letter. */
    REJECT,
    /** The message is delivered again. */
    RETRY,
    /** Processing the message ended with an exception. */
    FAILED,
    /** The message is released as if it had not been delivered. */
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

  /** Acknowledges the message; processors further down the chain do not see it. */
  public static <M> ProcessResult<M> done() {
    return shared(DONE);
  }

  /** Acknowledges the message; the same as {@link #done}. */
  public static <M> ProcessResult<M> ack() {
    return done();
  }

  /** Passes the message to the next processor; after the last one it is acknowledged. */
  public static <M> ProcessResult<M> pass() {
    return shared(PASS);
  }

  /** Passes another message to the next processor in place of this one. */
  public static <M> ProcessResult<M> pass(Message<M> message) {
    return pass(List.of(message));
  }

  /**
   * Passes other messages to the next processor in place of this one. The message is acknowledged
   * when all of them are. If one of them fails or is to be retried, so is the message, and all of
   * them are processed again.
   *
   * @param messages the replacements; if there are none, the result is {@link #done}
   */
  public static <M> ProcessResult<M> pass(List<Message<M>> messages) {
    return messages.isEmpty()
        ? done()
        : new ProcessResult<>(Kind.PASS, null, null, null, List.copyOf(messages));
  }

  /** Delivers the message again after the subscriber's backoff; the attempt counts. */
  public static <M> ProcessResult<M> retry() {
    return shared(RETRY);
  }

  /**
   * Delivers the message again after a delay; the attempt counts.
   *
   * @param delay zero or more
   */
  public static <M> ProcessResult<M> retry(Duration delay) {
    return retried(delay, null);
  }

  /**
   * Delivers the message again as {@link #retry(Duration)} does, because of an exception, which is
   * logged and counted. A {@link com.wookler.river.reactor.processors.RetryProcessor} around the
   * processor treats the exception as if the processor had thrown it.
   *
   * @param delay zero or more
   */
  public static <M> ProcessResult<M> retry(Duration delay, Throwable cause) {
    return retried(delay, Objects.requireNonNull(cause, "cause"));
  }

  private static <M> ProcessResult<M> retried(Duration delay, @Nullable Throwable cause) {
    if (delay.isNegative()) {
      throw new IllegalArgumentException("the delay is " + delay + "; it must not be negative");
    }
    return new ProcessResult<>(Kind.RETRY, delay, null, cause, null);
  }

  /** Makes the message a dead letter of its subscriber, with a reason. */
  public static <M> ProcessResult<M> reject(String reason) {
    return new ProcessResult<>(
        Kind.REJECT, null, Objects.requireNonNull(reason, "reason"), null, null);
  }

  /**
   * Leaves the message in flight: the processor completes it later by the delivery's methods, from
   * any thread. Until then the acknowledgement timeout of the message runs.
   */
  public static <M> ProcessResult<M> later() {
    return shared(LATER);
  }

  /** Fails the message as if the processor had thrown an exception; for one message of a batch. */
  public static <M> ProcessResult<M> failed(Throwable cause) {
    return new ProcessResult<>(Kind.FAILED, null, null, cause, null);
  }

  /** Acknowledges the message although processing it ended with an exception. */
  static <M> ProcessResult<M> ignored(Throwable cause) {
    return new ProcessResult<>(Kind.DONE, null, null, cause, null);
  }

  /**
   * Releases the message as if it had not been delivered: it is available at once, and the attempt
   * does not count.
   */
  public static <M> ProcessResult<M> release() {
    return shared(RELEASE);
  }

  /**
   * Releases the message as {@link #release} does, and makes the reactor take no messages for a
   * time. Suitable if a service that the processor depends on is unavailable, so that the next
   * message would fail too. If the messages after it in the batch are released too, a reactor with
   * one thread keeps the order.
   *
   * @param hold zero or more
   */
  public static <M> ProcessResult<M> holdBack(Duration hold) {
    return held(hold, null);
  }

  /**
   * Releases the message and holds the reactor back as {@link #holdBack(Duration)} does, because of
   * an exception, which is logged and counted. A {@link
   * com.wookler.river.reactor.processors.RetryProcessor} around the processor treats the exception
   * as if the processor had thrown it.
   *
   * @param hold zero or more
   */
  public static <M> ProcessResult<M> holdBack(Duration hold, Throwable cause) {
    return held(hold, Objects.requireNonNull(cause, "cause"));
  }

  private static <M> ProcessResult<M> held(Duration hold, @Nullable Throwable cause) {
    if (hold.isNegative()) {
      throw new IllegalArgumentException("the hold is " + hold + "; it must not be negative");
    }
    return new ProcessResult<>(Kind.RELEASE, hold, null, cause, null);
  }

  Kind kind() {
    return kind;
  }

  /**
   * Returns the delay of a retry (null: the subscriber's backoff), or the time for which the
   * reactor is held back.
   */
  @Nullable Duration delay() {
    return delay;
  }

  /**
   * Returns the reason of a rejection.
   *
   * @throws NullPointerException the message is not rejected
   */
  public String reason() {
    return Objects.requireNonNull(reason);
  }

  /** Returns whether the message becomes a dead letter. */
  public boolean isRejected() {
    return kind == Kind.REJECT;
  }

  /** Returns whether the processor completes the message later. */
  public boolean isLater() {
    return kind == Kind.LATER;
  }

  /** Returns whether the message is acknowledged, passed on, or completed later. */
  public boolean isSuccess() {
    return kind == Kind.DONE || kind == Kind.PASS || kind == Kind.LATER;
  }

  /** Returns whether it was processed in vain: what is released was not processed. */
  boolean isFailure() {
    return !isSuccess() && !isReleased();
  }

  /** Returns whether the message is delivered again by a result that asks for it. */
  public boolean isRetry() {
    return kind == Kind.RETRY;
  }

  /** Returns whether the message is released as if it had not been delivered. */
  public boolean isReleased() {
    return kind == Kind.RELEASE;
  }

  /** Returns the delay of a retry, or the time of a hold; null if there is none. */
  public @Nullable Duration pause() {
    return delay;
  }

  /** Returns the exception with which processing ended; null if there was none. */
  public @Nullable Throwable cause() {
    return cause;
  }

  /** Returns the messages that replace this one; null if it is passed on itself. */
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
