package com.wookler.river.rest.client;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The action that {@link RemoteSubscriber#settle} takes on messages: ack, nack, release, reject or
 * extend.
 */
public final class Acknowledgement {
  private final String verb;
  private final @Nullable String field;
  private final @Nullable String value;

  private Acknowledgement(String verb, @Nullable String field, @Nullable String value) {
    this.verb = verb;
    this.field = field;
    this.value = value;
  }

  /** Acknowledges, as {@link RemoteDelivery#ack} does. */
  public static Acknowledgement ack() {
    return new Acknowledgement("ack", null, null);
  }

  /** Acknowledges up to a message, as {@link RemoteSubscriber#ackUpTo} does. */
  public static Acknowledgement ackUpTo() {
    return new Acknowledgement("ack-up-to", null, null);
  }

  /** Returns the message after the backoff, as {@link RemoteDelivery#nack()} does. */
  public static Acknowledgement nack() {
    return new Acknowledgement("nack", null, null);
  }

  /** Returns the message after a delay, as {@link RemoteDelivery#nack(Duration)} does. */
  public static Acknowledgement nack(Duration delay) {
    return new Acknowledgement("nack", "delay", JsonCodec.formatDuration(delay));
  }

  /**
   * Returns the message after the backoff, as {@link RemoteDelivery#fail} does.
   *
   * @param reason 1 to 1,024 characters
   */
  public static Acknowledgement fail(String reason) {
    return new Acknowledgement("nack", "reason", nonEmpty(reason));
  }

  /** Releases the message, as {@link RemoteDelivery#release} does. */
  public static Acknowledgement release() {
    return new Acknowledgement("release", null, null);
  }

  /**
   * Rejects the message, as {@link RemoteDelivery#reject} does.
   *
   * @param reason 1 to 1,024 characters
   */
  public static Acknowledgement reject(String reason) {
    return new Acknowledgement("reject", "reason", nonEmpty(reason));
  }

  private static String nonEmpty(String reason) {
    if (reason.isEmpty()) {
      throw new IllegalArgumentException("the reason is empty");
    }
    return reason;
  }

  /** Extends the acknowledgement timeout, as {@link RemoteDelivery#extend} does. */
  public static Acknowledgement extend(Duration time) {
    if (time.isZero() || time.isNegative()) {
      throw new IllegalArgumentException("an extension by " + time + "; it must be positive");
    }
    return new Acknowledgement("extend", "duration", JsonCodec.formatDuration(time));
  }

  /** Returns the last segment of the request's path. */
  String verb() {
    return verb;
  }

  void addTo(ObjectNode body) {
    if (field != null) {
      body.put(field, value);
    }
  }

  @Override
  public String toString() {
    return verb;
  }
}
