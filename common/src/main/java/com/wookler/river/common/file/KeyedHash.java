package com.wookler.river.common.file;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.UUID;

/**
 * Hashes keys, ids and receipts to 64 bits under a secret key, by SipHash-2-4: without the key a
 * caller can neither choose texts that collide nor compute the hash of a text.
 *
 * <p>Aumasson and Bernstein, "SipHash: a fast short-input PRF". A message authentication code of
 * the JDK would do as well, at fifty times the cost.
 *
 * @param k0 first half of the key
 * @param k1 second half of the key
 */
public record KeyedHash(long k0, long k1) {
  private static final int WORD = Long.BYTES;
  private static final int CHARS = Long.BYTES / Character.BYTES;

  /** Returns the hash whose key is an identity, such as that of a queue. */
  public static KeyedHash of(UUID key) {
    return new KeyedHash(key.getMostSignificantBits(), key.getLeastSignificantBits());
  }

  /** Returns the hash of the first {@code length} bytes of an array. */
  public long of(byte[] data, int length) {
    State state = new State(k0, k1);
    ByteBuffer in = ByteBuffer.wrap(data).order(ByteOrder.LITTLE_ENDIAN);
    int whole = length - length % WORD;
    for (int i = 0; i < whole; i += WORD) {
      state.absorb(in.getLong(i));
    }
    long last = (long) length << 56;
    for (int i = whole; i < length; i++) {
      last |= (data[i] & 0xFFL) << (WORD * (i - whole));
    }
    state.absorb(last);
    return state.complete();
  }

  /** Returns the hash of a text's characters, two bytes each. */
  public long of(String text) {
    State state = new State(k0, k1);
    int length = text.length();
    long word = 0;
    for (int i = 0; i < length; i++) {
      word |= (long) text.charAt(i) << (Character.SIZE * (i % CHARS));
      if (i % CHARS == CHARS - 1) {
        state.absorb(word);
        word = 0;
      }
    }
    state.absorb(word | ((long) length * Character.BYTES) << 56);
    return state.complete();
  }

  private static final class State {
    private long v0;
    private long v1;
    private long v2;
    private long v3;

    State(long k0, long k1) {
      v0 = k0 ^ 0x736f6d6570736575L;
      v1 = k1 ^ 0x646f72616e646f6dL;
      v2 = k0 ^ 0x6c7967656e657261L;
      v3 = k1 ^ 0x7465646279746573L;
    }

    void absorb(long word) {
      v3 ^= word;
      round();
      round();
      v0 ^= word;
    }

    long complete() {
      v2 ^= 0xFF;
      round();
      round();
      round();
      round();
      return v0 ^ v1 ^ v2 ^ v3;
    }

    private void round() {
      v0 += v1;
      v1 = Long.rotateLeft(v1, 13) ^ v0;
      v0 = Long.rotateLeft(v0, 32);
      v2 += v3;
      v3 = Long.rotateLeft(v3, 16) ^ v2;
      v0 += v3;
      v3 = Long.rotateLeft(v3, 21) ^ v0;
      v2 += v1;
      v1 = Long.rotateLeft(v1, 17) ^ v2;
      v2 = Long.rotateLeft(v2, 32);
    }
  }
}
