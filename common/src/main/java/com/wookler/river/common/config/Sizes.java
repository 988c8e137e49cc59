package com.wookler.river.common.config;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses sizes in bytes in configurations. */
public final class Sizes {
  /** The text in errors that says what is allowed. */
  public static final String ALLOWED =
      "a size such as 1048576, 64MB or 1 GB (B, KB, MB, GB, TB, PB)";

  private static final Pattern FORM = Pattern.compile("(\\d+)\\s*([kmgtp]?b)?");
  private static final String UNITS = "bkmgtp";

  private Sizes() {}

  /**
   * Parses {@code 64MB}, {@code 1 GB} or a bare number of bytes, ignoring case; each unit is 1,024
   * times the previous one.
   *
   * @throws IllegalArgumentException the text has another form, or the size does not fit a long
   */
  public static long parse(String text) {
    Matcher matcher = FORM.matcher(text.trim().toLowerCase(Locale.ROOT));
    if (!matcher.matches()) {
      throw new IllegalArgumentException("'" + text + "' is not " + ALLOWED);
    }
    try {
      String unit = matcher.group(2);
      int power = unit == null ? 0 : UNITS.indexOf(unit.charAt(0));
      return Math.multiplyExact(Long.parseLong(matcher.group(1)), 1L << (10 * power));
    } catch (ArithmeticException | NumberFormatException e) {
      throw new IllegalArgumentException("'" + text + "' is not " + ALLOWED, e);
    }
  }
}
