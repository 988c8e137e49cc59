package com.wookler.river.core.message;

import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The origin of a message from another queue, or from another source. It is in the header {@value
 * #HEADER} if the queue forwards its messages ({@code queue.forward}) or the message was put with
 * an origin ({@link com.wookler.river.core.MessageQueue#putFrom}), and in {@value #EXPIRED} if the
 * message expired there, in {@value #CONTINUES} if it continues a message that was acknowledged
 * with it; in {@value #REPLACED} is the message of its own queue in whose place it was published
 * ({@link com.wookler.river.core.MessageQueue#replace}); 24 bytes, big-endian. A header of one of
 * these names that an application publishes is not stored.
 *
 * @param queue identity of the queue that it came from directly, as in its {@code queue.json}; or
 *     of the other source
 * @param sequence of it there, or its position in the other source
 */
public record ForwardOrigin(UUID queue, long sequence) {
  /** The name of the header. */
  public static final String HEADER = "river-origin";

  /** The name of the header of a message that expired in another queue. */
  public static final String EXPIRED = "river-expired";

  /** The name of the header of a message that continues a delivery of another queue. */
  public static final String CONTINUES = "river-continues";

  /** The name of the header of a message that was published in place of another. */
  public static final String REPLACED = "river-replaced";

  private static final Set<String> NAMES = Set.of(HEADER, EXPIRED, CONTINUES, REPLACED);
  private static final int BYTES = 24;

  /** Returns the origin in these headers; empty if the message was published here. */
  public static Optional<ForwardOrigin> of(Map<String, byte[]> headers) {
    return of(headers.get(HEADER));
  }

  /** Returns the queue in which a message with these headers expired; empty if it did not. */
  public static Optional<ForwardOrigin> ofExpired(Map<String, byte[]> headers) {
    return of(headers.get(EXPIRED));
  }

  /** Returns the delivery that a message with these headers continues; empty if it does not. */
  public static Optional<ForwardOrigin> ofContinued(Map<String, byte[]> headers) {
    return of(headers.get(CONTINUES));
  }

  /** Returns the message in whose place one with these headers was published; empty without. */
  public static Optional<ForwardOrigin> ofReplaced(Map<String, byte[]> headers) {
    return of(headers.get(REPLACED));
  }

  private static Optional<ForwardOrigin> of(byte @Nullable [] value) {
    if (value == null || value.length != BYTES) {
      return Optional.empty();
    }
    ByteBuffer in = ByteBuffer.wrap(value);
    return Optional.of(new ForwardOrigin(new UUID(in.getLong(), in.getLong()), in.getLong()));
  }

  /** Returns these headers with this origin, instead of another, in the header of this name. */
  Map<String, byte[]> in(Map<String, byte[]> headers, String name) {
    Map<String, byte[]> all = new LinkedHashMap<>(without(headers));
    ByteBuffer value = ByteBuffer.allocate(BYTES);
    value.putLong(queue.getMostSignificantBits()).putLong(queue.getLeastSignificantBits());
    all.put(name, value.putLong(sequence).array());
    return all;
  }

  /** Returns these headers without an origin. */
  static Map<String, byte[]> without(Map<String, byte[]> headers) {
    if (Collections.disjoint(NAMES, headers.keySet())) {
      return headers;
    }
    Map<String, byte[]> others = new LinkedHashMap<>(headers);
    others.keySet().removeAll(NAMES);
    return others;
  }
}
