package com.wookler.river.rest.server.hosting;

import com.wookler.river.common.config.Durations;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.regex.Pattern;

/** Parses and formats values of the contract: names, numbers, durations and text. */
public final class ContractFormat {
  private static final int MAX_NAME = 64;
  private static final Duration LONGEST = Duration.ofDays(36_500);
  private static final String ISO_SECONDS = "[0-9]{1,10}([.][0-9]{1,3})?[sS]";

  /**
   * The pattern of durations in the contract: a number and a unit that may be doubled, or ISO 8601.
   */
  public static final Pattern DURATION =
      Pattern.compile(
          "([0-9]{1,13}( *[mM][sS])?|[0-9]{1,10} *[sS]{1,2}|[0-9]{1,8} *[mM]{1,2}"
              + "|[0-9]{1,6} *[hH]{1,2}|[0-9]{1,5} *[dD]{1,2}"
              + "|[pP]([0-9]{1,5}[dD]|([0-9]{1,5}[dD])?[tT]"
              + "([0-9]{1,6}[hH]([0-9]{1,8}[mM])?(SEC)?|[0-9]{1,8}[mM](SEC)?|SEC)))"
                  .replace("SEC", ISO_SECONDS));

  private ContractFormat() {}

  public static String name(String field, String text) {
    if (!isName(text)) {
      throw RequestException.field(
          field, "is not a name: 1 to 64 of A-Z a-z 0-9 . _ -, not starting with a dot or hyphen");
    }
    return text;
  }

  private static boolean isName(String text) {
    if (text.isEmpty() || text.length() > MAX_NAME || ".-".indexOf(text.charAt(0)) >= 0) {
      return false;
    }
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (!(c >= 'a' && c <= 'z')
          && !(c >= 'A' && c <= 'Z')
          && !(c >= '0' && c <= '9')
          && "._-".indexOf(c) < 0) {
        return false;
      }
    }
    return true;
  }

  public static long number(String field, String text, long least, long most) {
    try {
      long value = text.startsWith("+") ? least - 1 : Long.parseLong(text);
      if (value >= least && value <= most) {
        return value;
      }
    } catch (NumberFormatException e) {
      // reported below
    }
    throw RequestException.field(field, "is not a number from " + least + " to " + most);
  }

  public static Instant time(String field, String text) {
    try {
      return Instant.parse(text);
    } catch (DateTimeException e) {
      throw RequestException.field(
          field, "'" + text + "' is not a time such as 2026-11-20T10:00:00Z");
    }
  }

  /**
   * Parses a duration as elsewhere in River, but in whole milliseconds, which {@link #of} can
   * write.
   */
  public static Duration duration(String field, String text) {
    if (!DURATION.matcher(text).matches()) {
      throw RequestException.field(
          field,
          "is not a duration such as 500ms, 30s, 5m, 2h or 7d, in whole milliseconds and at most "
              + of(LONGEST));
    }
    try {
      Duration value = Durations.parse(text);
      if (value.compareTo(LONGEST) <= 0) {
        return value;
      }
    } catch (IllegalArgumentException e) {
      // longer than a Duration of River's may be: reported below
    }
    throw RequestException.field(field, "is more than " + of(LONGEST));
  }

  /** Checks that a text can be encoded in UTF-8: it has no unpaired surrogate. */
  public static String wellFormed(String field, String text) {
    utf8(field, text);
    return text;
  }

  /** Encodes a text as {@link #wellFormed} checks it: it is the same when it is decoded again. */
  public static byte[] utf8(String field, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    if (!new String(bytes, StandardCharsets.UTF_8).equals(text)) { // faster than a look at each
      throw RequestException.field(field, "has an unpaired surrogate");
    }
    return bytes;
  }

  /** Formats a duration in the largest unit that is exact, as in responses. */
  public static String of(Duration duration) {
    long millis = duration.toMillis();
    if (millis % 1_000 != 0) {
      return millis + "ms";
    }
    long seconds = millis / 1_000;
    if (seconds == 0 || seconds % 60 != 0) {
      return seconds + "s";
    }
    if (seconds % 3_600 != 0) {
      return seconds / 60 + "m";
    }
    return seconds % 86_400 == 0 ? seconds / 86_400 + "d" : seconds / 3_600 + "h";
  }
}
