package com.wookler.river.common.config;

import java.time.DateTimeException;
import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses durations in configurations. */
public final class Durations {
  /** The text in errors that says what is allowed. */
  public static final String ALLOWED =
      "a duration such as 500ms, 30s, 10m (minutes), 2h, 1d, PT1M30S, or a number of milliseconds";

  private static final Pattern FORM = Pattern.compile("(\\d+)\\s*(ms|ss?|mm?|hh?|dd?)?");

  private Durations() {}

  /**
   * Parses {@code 500ms}, {@code 30s}, {@code 10m} (minutes, also {@code 10mm}), {@code 2h}, {@code
   * 1d}, the unit once or doubled and in any case; ISO-8601 such as {@code PT1M30S}; or a bare
   * number, which is milliseconds. Only one number and one unit are accepted. A duration is not
   * negative, and at most 292 years, so that its nanoseconds fit a long.
   *
   * @throws IllegalArgumentException the text has another form
   */
  public static Duration parse(String text) {
    String lower = text.trim().toLowerCase(Locale.ROOT);
    Matcher matcher = FORM.matcher(lower);
    try {
      Duration duration = matcher.matches() ? ofUnit(matcher) : Duration.parse(lower);
      if (duration.isNegative()) {
        throw new IllegalArgumentException("'" + text + "' is negative");
      }
      // Through nanoseconds, which throws if it is too long.
      return Duration.ofNanos(duration.toNanos());
    } catch (DateTimeException | ArithmeticException | NumberFormatException e) {
      throw new IllegalArgumentException("'" + text + "' is not " + ALLOWED, e);
    }
  }

  private static Duration ofUnit(Matcher matcher) {
    long amount = Long.parseLong(matcher.group(1));
    String unit = matcher.group(2);
    return switch (unit == null ? "ms" : unit) {
      case "ms" -> Duration.ofMillis(amount);
      case "s", "ss" -> Duration.ofSeconds(amount);
      case "m", "mm" -> Duration.ofMinutes(amount);
      case "h", "hh" -> Duration.ofHours(amount);
      default -> Duration.ofDays(amount);
    };
  }
}
