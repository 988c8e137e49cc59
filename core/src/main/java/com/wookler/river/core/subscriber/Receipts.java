package com.wookler.river.core.subscriber;

import com.wookler.river.common.file.KeyedHash;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Writes and reads the receipts of one subscriber. Thread-safe.
 *
 * <pre>
 * bytes  what (big-endian; 48 characters of Base64 for addresses)
 *     8  sequence
 *     8  delivery tag
 *     4  second of the delivery, since 1970, unsigned
 *     8  which opening of the subscriber
 *     8  SipHash of these under a key of queue and subscriber
 * </pre>
 *
 * <p>The key comes from the queue's identity, which no interface shows. So a receipt cannot be made
 * up or used at another subscriber, and one from before a restart is still recognized.
 */
final class Receipts {
  private static final int CHECKED = 28;
  private static final int LENGTH = CHECKED + Long.BYTES;

  private final KeyedHash check;
  private final long opening;

  /** A receipt that was written for this subscriber. */
  record Receipt(long sequence, long tag, int second, boolean current) {}

  /** Creates the receipts of one opening, which has another number each time. */
  Receipts(UUID queue, String subscriber, long opening) {
    byte[] name = subscriber.getBytes(StandardCharsets.UTF_8);
    KeyedHash byQueue = KeyedHash.of(queue);
    KeyedHash other =
        new KeyedHash(queue.getLeastSignificantBits(), queue.getMostSignificantBits());
    this.check = new KeyedHash(byQueue.of(name, name.length), other.of(name, name.length));
    this.opening = opening;
  }

  String write(long sequence, long tag, int second) {
    ByteBuffer out = ByteBuffer.allocate(LENGTH);
    out.putLong(sequence).putLong(tag).putInt(second).putLong(opening);
    out.putLong(check.of(out.array(), CHECKED));
    return Base64.getUrlEncoder().encodeToString(out.array());
  }

  /** Returns what a receipt says; null if this subscriber has never written it. */
  @Nullable Receipt read(String text) {
    byte[] bytes;
    try {
      bytes = Base64.getUrlDecoder().decode(text);
    } catch (IllegalArgumentException e) {
      return null;
    }
    ByteBuffer in = ByteBuffer.wrap(bytes);
    if (bytes.length != LENGTH || in.getLong(CHECKED) != check.of(bytes, CHECKED)) {
      return null;
    }
    return new Receipt(in.getLong(0), in.getLong(8), in.getInt(16), in.getLong(20) == opening);
  }
}
