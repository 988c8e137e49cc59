package com.wookler.river.test;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What became of one delivery to a handler.
 *
 * @param kind what became of it
 * @param sequence of the message
 * @param attempt of the delivery
 * @param delay of a retry; null: the subscriber's backoff
 * @param cause what the handler threw, or why its answer came too late; else null
 * @param fault what went wrong by the test's wish
 */
public record HandlerResult(
    Kind kind,
    long sequence,
    int attempt,
    @Nullable Duration delay,
    @Nullable Throwable cause,
    Fault fault) {

  /** The kinds of results. */
  public enum Kind {
    /** The message is completed. */
    ACK,
    /** The handler asked for a further delivery. */
    RETRY,
    /** The handler made the message a dead letter. */
    REJECT,
    /** The handler threw, or a fault did. */
    FAILED,
    /** The handler gave the message back unprocessed. */
    RELEASE,
    /** The handler completes it itself, later. */
    LATER,
    /** The answer came after the acknowledgement timeout, and had no effect. */
    STALE,
    /** The acknowledgement was lost. */
    LOST,
    /** The process was killed. */
    KILLED
  }

  /** Returns whether the message is completed. */
  public boolean isAck() {
    return kind == Kind.ACK;
  }

  /** Returns whether the message is delivered again because the handler said so. */
  public boolean isRetry() {
    return kind == Kind.RETRY;
  }

  /** Returns whether the handler made the message a dead letter. */
  public boolean isReject() {
    return kind == Kind.REJECT;
  }

  /** Returns whether the handler threw, or a fault did. */
  public boolean isFailed() {
    return kind == Kind.FAILED;
  }
}
