package com.wookler.river.common.config;

import java.util.regex.Pattern;

/** Parses whole numbers: digits of ASCII, perhaps after a minus. */
public final class WholeNumbers {
  private static final Pattern FORM = Pattern.compile("-?[0-9]+");

  private WholeNumbers() {}

  /**
   * Parses a whole number.
   *
   * @throws NumberFormatException the text has another form, as {@code +5}, or does not fit
   */
  public static long parse(String text) {
    if (!FORM.matcher(text).matches()) {
      throw new NumberFormatException("'" + text + "' is no whole number");
    }
    return Long.parseLong(text);
  }

  /** Parses a whole number in the range of an int, in the same way. */
  static int parseInt(String text) {
    long number = parse(text);
    if (number != (int) number) {
      throw new NumberFormatException("'" + text + "' does not fit");
    }
    return (int) number;
  }
}
