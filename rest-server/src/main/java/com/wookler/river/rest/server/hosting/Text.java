package com.wookler.river.rest.server.hosting;

import com.wookler.river.common.config.Durations;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.regex.Pattern;

/** Small values as the contract writes them. */
public final class Text {
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9._-]{0,63}");
  private static final Duration LONGEST = Duration.ofDays(36_500);
  private static final String ISO_SECONDS = "[0-9]{1,10}([.][0-9]{1,3})?[sS]";

  /** As in the contract: a number and a unit that may be doubled, or ISO 8601. */
  public static final Pattern DURATION =
      Pattern.compile(
          "([0-9]{1,13}( *[mM][sS])?|[0-9]{1,10} *[sS]{1,2}|[0-9]{1,8} *[mM]{1,2}"
              + "|[0-9]{1,6} *[hH]{1,2}|[0-9]{1,5} *[dD]{1,2}"
              + "|[pP]([0-9]{1,5}[dD]|([0-9]{1,5}[dD])?[tT]"
              + "([0-9]{1,6}[hH]([0-9]{1,8}[mM])?(SEC)?|[0-9]{1,8}[mM](SEC)?|SEC)))"
                  .replace("SEC", ISO_SECONDS));

  private Text() {}

  public static String name(String field, String text) {
    if (!NAME.matcher(text).matches()) {
      throw RequestException.field(
          field, "is no name: 1 to 64 of A-Z a-z 0-9 . _ -, not starting with a dot or hyphen");
    }
    return text;
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
    throw RequestException.field(field, "is no number from " + least + " to " + most);
  }

  /** As everywhere in River, but in whole milliseconds, which is what {@link #of} writes. */
  public static Duration duration(String field, String text) {
    if (!DURATION.matcher(text).matches()) {
      throw RequestException.field(
          field,
          "is no duration such as 500ms, 30s, 5m, 2h or 7d, in whole milliseconds and at most "
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

  /** Text that can be written in UTF-8: without halves of surrogate pairs. */
  public static String wellFormed(String field, String text) {
    for (int i = 0; i < text.length(); i++) {
      if (Character.isSurrogate(text.charAt(i))) {
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
          throw RequestException.field(field, "has half a surrogate pair");
        }
        break;
      }
    }
    return text;
  }

  /** In the largest unit that fits, as the contract has it in answers. */
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
