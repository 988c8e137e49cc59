package com.wookler.river.common.utils;

import java.util.Locale;

/** Formats a number with its noun in singular or plural: {@code 1 block}. */
public final class Amount {
  private Amount() {}

  /**
   * Formats a number and a noun, such as {@code 1 block}, {@code 0 blocks}, {@code 1234 blocks}.
   *
   * @param one the noun in singular; the plural has an {@code s}
   */
  public static String of(long number, String one) {
    return number + " " + (number == 1 ? one : one + "s");
  }

  /** Formats a number with grouped digits and a noun, such as {@code 1,234 blocks}. */
  public static String grouped(long number, String one) {
    return String.format(Locale.ROOT, "%,d %s", number, number == 1 ? one : one + "s");
  }
}
