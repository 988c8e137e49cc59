package com.wookler.river.rest.client;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What {@link RemoteSubscriber#settle} does with messages; each is a verb of a delivery. */
public final class Settlement {
  private final String verb;
  private final @Nullable String field;
  private final @Nullable String value;

  private Settlement(String verb, @Nullable String field, @Nullable String value) {
    this.verb = verb;
    this.field = field;
    this.value = value;
  }

  /** See {@link RemoteDelivery#ack}. */
  public static Settlement ack() {
    return new Settlement("ack", null, null);
  }

  /** See {@link RemoteSubscriber#ackUpTo}. */
  public static Settlement ackUpTo() {
    return new Settlement("ack-up-to", null, null);
  }

  /** See {@link RemoteDelivery#nack()}. */
  public static Settlement nack() {
    return new Settlement("nack", null, null);
  }

  /** See {@link RemoteDelivery#nack(Duration)}. */
  public static Settlement nack(Duration delay) {
    return new Settlement("nack", "delay", Wire.text(delay));
  }

  /** See {@link RemoteDelivery#release}. */
  public static Settlement release() {
    return new Settlement("release", null, null);
  }

  /**
   * See {@link RemoteDelivery#reject}.
   *
   * @param reason 1 to 1,024 characters
   */
  public static Settlement reject(String reason) {
    if (reason.isEmpty()) {
      throw new IllegalArgumentException("no reason");
    }
    return new Settlement("reject", "reason", reason);
  }

  /** See {@link RemoteDelivery#extend}. */
  public static Settlement extend(Duration time) {
    if (time.isZero() || time.isNegative()) {
      throw new IllegalArgumentException("an extension by " + time);
    }
    return new Settlement("extend", "duration", Wire.text(time));
  }

  /** As the path names it. */
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
