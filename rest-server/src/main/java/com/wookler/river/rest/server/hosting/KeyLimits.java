package com.wookler.river.rest.server.hosting;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What limits a key, besides its rights.
 *
 * @param expires the time from which the key is not valid any more, such as {@code
 *     2027-01-01T00:00:00Z}; null: never
 * @param requests how many requests the key may make; null: any number
 * @param messages how many messages the key may publish; null: any number
 */
public record KeyLimits(
    @Nullable String expires, @Nullable Rate requests, @Nullable Rate messages) {
  /** No limit. */
  public static final KeyLimits NONE = new KeyLimits(null, null, null);

  private static final int MAX_RATE = 1_000_000;

  public KeyLimits {
    if (expires != null) {
      var unused = ContractFormat.time("expires", expires);
    }
  }

  /**
   * A rate.
   *
   * @param perSecond how many a second, 1 to 1,000,000
   * @param burst how many at once after a pause; null: those of a second
   */
  public record Rate(int perSecond, @Nullable Integer burst) {
    public Rate {
      ensure("perSecond", perSecond);
      if (burst != null) {
        ensure("burst", burst);
      }
    }

    private static void ensure(String field, int value) {
      if (value < 1 || value > MAX_RATE) {
        throw RequestException.field(field, "is not a number from 1 to " + MAX_RATE);
      }
    }

    /** Returns how many may be at once. */
    int most() {
      return burst == null ? perSecond : burst;
    }

    @Override
    public String toString() {
      return perSecond + ":" + most();
    }
  }

  /** Returns the time from which the key is not valid any more; null if it never expires. */
  @Nullable Instant expiry() {
    return expires == null ? null : Instant.parse(expires);
  }
}
