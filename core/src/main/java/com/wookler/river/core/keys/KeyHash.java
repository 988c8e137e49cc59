package com.wookler.river.core.keys;

import java.util.UUID;

/** Hashes keys to 64 bits, in each queue differently, so that colliding keys cannot be chosen. */
final class KeyHash {
  private static final long PRIME = 0x9E3779B97F4A7C15L;

  private final long seed;
  private final long last;

  KeyHash(UUID queue) {
    seed = queue.getMostSignificantBits();
    last = queue.getLeastSignificantBits();
  }

  long of(String key) {
    long hash = seed ^ key.length() * PRIME;
    for (int i = 0; i < key.length(); i++) {
      hash = (hash ^ key.charAt(i)) * PRIME;
      hash ^= hash >>> 32;
    }
    hash = (hash ^ last) * 0xC2B2AE3D27D4EB4FL;
    return hash ^ hash >>> 29;
  }
}
