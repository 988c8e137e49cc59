package com.wookler.river.core.message;

import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * Where a message was published that came from another queue ({@code queue.forward}): it stands in
 * the header {@value #HEADER}, 24 bytes, big-endian. That header is River's: one of this name that
 * an application publishes is not stored.
 *
 * @param queue identity of the queue that it came from directly, as in its {@code queue.json}
 * @param sequence of it there
 */
public record ForwardOrigin(UUID queue, long sequence) {
  /** The name of the header. */
  public static final String HEADER = "river-origin";

  private static final int BYTES = 24;

  /** What these headers say; empty if the message was published here. */
  public static Optional<ForwardOrigin> of(Map<String, byte[]> headers) {
    byte[] value = headers.get(HEADER);
    if (value == null || value.length != BYTES) {
      return Optional.empty();
    }
    ByteBuffer in = ByteBuffer.wrap(value);
    return Optional.of(new ForwardOrigin(new UUID(in.getLong(), in.getLong()), in.getLong()));
  }

  /** These headers with this origin, in the place of another. */
  Map<String, byte[]> in(Map<String, byte[]> headers) {
    Map<String, byte[]> all = new LinkedHashMap<>(headers);
    ByteBuffer value = ByteBuffer.allocate(BYTES);
    value.putLong(queue.getMostSignificantBits()).putLong(queue.getLeastSignificantBits());
    all.put(HEADER, value.putLong(sequence).array());
    return all;
  }

  /** These headers without an origin. */
  static Map<String, byte[]> without(Map<String, byte[]> headers) {
    if (!headers.containsKey(HEADER)) {
      return headers;
    }
    Map<String, byte[]> others = new LinkedHashMap<>(headers);
    others.remove(HEADER);
    return others;
  }
}
