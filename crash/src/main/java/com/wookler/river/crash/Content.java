package com.wookler.river.crash;

import com.wookler.river.core.message.Message;
import com.wookler.river.core.subscriber.Delivery;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Messages that say who published them as what, and whose every other byte, and key, and header,
 * follows from that, so that a wrong byte is seen without a copy of the original.
 *
 * <p>An id packs round (16 bits, from 1), publisher (8 bits) and number (40 bits); 0 is none.
 */
final class Content {
  private static final int KEYS = 16;
  private static final String HEADER = "number";

  private Content() {}

  static long id(int round, int publisher, long number) {
    return (long) round << 48 | (long) publisher << 40 | number;
  }

  static int round(long id) {
    return (int) (id >>> 48);
  }

  static int publisher(long id) {
    return (int) (id >>> 40) & 0xFF;
  }

  static long number(long id) {
    return id & 0xFF_FFFF_FFFFL;
  }

  /** With a key each third, with a header each seventh. */
  static Message<byte[]> message(long id, int largest) {
    Message<byte[]> message = Message.of(of(id, largest));
    String key = key(id);
    if (key != null) {
      message = message.withKey(key);
    }
    return hasHeader(id) ? message.withHeader(HEADER, header(id)) : message;
  }

  private static @Nullable String key(long id) {
    return number(id) % 3 == 0 ? "key-" + number(id) % KEYS : null;
  }

  private static boolean hasHeader(long id) {
    return number(id) % 7 == 0;
  }

  private static byte[] header(long id) {
    return ByteBuffer.allocate(Long.BYTES).putLong(mix(id)).array();
  }

  static byte[] of(long id, int largest) {
    long state = mix(id);
    int more = state < 0 ? 0 : (int) (state % largest); // many small ones, as in life
    ByteBuffer out = ByteBuffer.allocate(Long.BYTES + more);
    out.putLong(id);
    while (out.remaining() >= Long.BYTES) {
      state = mix(state + 1);
      out.putLong(state);
    }
    while (out.hasRemaining()) {
      state = mix(state + 1);
      out.put((byte) state);
    }
    return out.array();
  }

  /** The id in these bytes. */
  static long check(byte[] bytes, int largest, long sequence) {
    BrokenPromise.unless(
        bytes.length >= Long.BYTES, "sequence %d has %d bytes", sequence, bytes.length);
    long id = ByteBuffer.wrap(bytes).getLong();
    BrokenPromise.unless(
        Arrays.equals(bytes, of(id, largest)),
        "sequence %d is not what was published: %s",
        sequence,
        text(id));
    return id;
  }

  /** The id of what was delivered, whose key and headers are right too. */
  static long check(Delivery<byte[]> delivery, int largest) {
    long id = check(delivery.data(), largest, delivery.sequence());
    BrokenPromise.unless(
        Objects.equals(delivery.key(), key(id)),
        "sequence %d came with key %s: %s",
        delivery.sequence(),
        String.valueOf(delivery.key()),
        text(id));
    byte[] header = delivery.headers().get(HEADER);
    BrokenPromise.unless(
        hasHeader(id) ? Arrays.equals(header, header(id)) : header == null,
        "sequence %d came with a wrong header: %s",
        delivery.sequence(),
        text(id));
    return id;
  }

  static String text(long id) {
    return id == 0
        ? "nothing"
        : "message " + number(id) + " of publisher " + publisher(id) + " in round " + round(id);
  }

  /** Spreads the bits of a number over all others. */
  static long mix(long value) {
    long z = value + 0x9E37_79B9_7F4A_7C15L;
    z = (z ^ (z >>> 30)) * 0xBF58_476D_1CE4_E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D0_49BB_1331_11EBL;
    return z ^ (z >>> 31);
  }
}
