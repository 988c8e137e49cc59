package com.wookler.river.reactor.processors;

import com.wookler.river.common.errors.ConfigurationException;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What each HTTP status means for the message that was sent. Immutable. */
final class StatusRules {
  private static final int STATUSES = 1_000;
  private static final int FIRST = 300; // what is below says that the message was taken
  private static final int LAST = 599;

  /** By default: all of these are said of a server, a route or a user, not of a message. */
  private static final String AWAY = "3xx 401 403 404 407 408 421 425 429 502-504";

  private static final Pattern STATUS =
      Pattern.compile("([3-5])xx|([3-5]\\d\\d)(?:-([3-5]\\d\\d))?");

  private final Meaning[] meanings;

  /** What becomes of a message. */
  enum Meaning {
    /** Passed on. */
    TAKEN,
    /** Given back without an attempt: any other message would get the same answer. */
    AWAY,
    /** Delivered again by the subscriber's retry policy. */
    RETRY,
    /** A dead letter. */
    REJECT
  }

  /**
   * The default rules with changes.
   *
   * @param changes for some meanings the statuses, such as {@code 404, 409 500-502 5xx}
   * @throws ConfigurationException the text is something else, or names a status twice
   */
  StatusRules(Map<Meaning, String> changes) {
    meanings = new Meaning[STATUSES];
    Arrays.fill(meanings, Meaning.REJECT);
    Arrays.fill(meanings, 200, FIRST, Meaning.TAKEN);
    Arrays.fill(meanings, 500, LAST + 1, Meaning.RETRY);
    set(AWAY, Meaning.AWAY, new Meaning[STATUSES]);
    Meaning[] changed = new Meaning[STATUSES];
    EnumSet.allOf(Meaning.class).stream()
        .filter(changes::containsKey)
        .forEach(meaning -> set(String.valueOf(changes.get(meaning)), meaning, changed));
  }

  private void set(String statuses, Meaning meaning, Meaning[] changed) {
    for (String each : statuses.strip().split("[\\s,]+", -1)) {
      Matcher found = STATUS.matcher(each);
      if (!found.matches()) {
        throw new ConfigurationException(
            param(meaning)
                + " has '"
                + each
                + "'; allowed are 300 to 599, one by one, as 500-504, or as 5xx");
      }
      int from = found.group(1) == null ? number(found, 2) : number(found, 1) * 100;
      int to =
          found.group(1) != null ? from + 99 : found.group(3) == null ? from : number(found, 3);
      for (int status = from; status <= to; status++) {
        if (changed[status] != null && changed[status] != meaning) {
          throw new ConfigurationException(
              param(meaning) + " has " + status + ", and so has " + param(changed[status]));
        }
        changed[status] = meaning;
        meanings[status] = meaning;
      }
    }
  }

  private static int number(Matcher found, int group) {
    return Integer.parseInt(found.group(group));
  }

  /** The parameter that sets it. */
  static String param(Meaning meaning) {
    return "http.status." + meaning.name().toLowerCase(Locale.ROOT);
  }

  Meaning of(int status) {
    return status >= 0 && status < STATUSES ? meanings[status] : Meaning.REJECT;
  }
}
