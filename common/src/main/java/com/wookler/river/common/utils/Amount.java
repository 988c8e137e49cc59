package com.wookler.river.common.utils;

import java.util.Locale;

/** How many of something, in words that are right for one and for many: {@code 1 block}. */
public final class Amount {
  private Amount() {}

  /**
   * Such as {@code 1 block}, {@code 0 blocks}, {@code 1234 blocks}.
   *
   * @param one what one is called; several are called so with an {@code s}
   */
  public static String of(long number, String one) {
    return number + " " + (number == 1 ? one : one + "s");
  }

  /** Likewise for people who read large numbers: {@code 1,234 blocks}. */
  public static String grouped(long number, String one) {
    return String.format(Locale.ROOT, "%,d %s", number, number == 1 ? one : one + "s");
  }
}
