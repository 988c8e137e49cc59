package com.wookler.river.filter;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import org.jspecify.annotations.Nullable;

/**
 * The regular expressions of one expression. RE2/J reads a text once, in time that the size of the
 * pattern and the length of the text limit; and the size is limited before a pattern is compiled.
 * Immutable once the expression is compiled.
 */
final class Patterns {
  /** The largest size of all patterns of an expression. */
  static final int MOST_SIZE = 20_000;

  /** A repetition that RE2/J expands; after a group it multiplies those within. */
  private static final java.util.regex.Pattern REPETITION =
      java.util.regex.Pattern.compile("(\\)?)\\{(\\d{1,9})(?:,(\\d{0,9}))?\\}");

  private final Map<String, Pattern> compiled = new HashMap<>();
  private long size;

  Patterns() {
    Pattern.compile(""); // fails now if the library is missing, not at the first message
  }

  /**
   * Adds a pattern.
   *
   * @throws IllegalArgumentException it is not RE2's syntax, or too large
   */
  void add(String text) {
    if (text.contains("&&")) {
      throw new IllegalArgumentException("classes have no && here; as a text it is &{2}");
    }
    size += size(text);
    if (size > MOST_SIZE) {
      throw new IllegalArgumentException(
          String.format(
              "characters times repetitions, of all patterns, are %d; %d are allowed",
              size, MOST_SIZE));
    }
    try {
      compiled.put(text, Pattern.compile(text));
    } catch (PatternSyntaxException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    } catch (StackOverflowError e) {
      throw new IllegalArgumentException("the pattern nests too deeply", e);
    }
  }

  /**
   * Returns an upper bound of the size of a pattern: its characters, times the greatest repetition
   * of one of them, times all repetitions of groups, as if they were nested.
   */
  private static long size(String text) {
    double ofGroups = 1; // which cannot overflow
    double ofOne = 1;
    Matcher repetition = REPETITION.matcher(text);
    while (repetition.find()) {
      double count = Math.max(count(repetition.group(2)), count(repetition.group(3)));
      if (String.valueOf(repetition.group(1)).isEmpty()) {
        ofOne = Math.max(ofOne, count);
      } else {
        ofGroups *= count;
      }
    }
    return (long) Math.min(Integer.MAX_VALUE, text.length() * ofOne * ofGroups);
  }

  private static int count(@Nullable String digits) {
    return digits == null || digits.isEmpty() ? 1 : Math.max(1, Integer.parseInt(digits));
  }

  /**
   * Returns whether a pattern matches the whole text.
   *
   * @throws IllegalStateException it was not added, or takes too many steps
   */
  boolean matches(String pattern, String text) {
    Pattern found = compiled.get(pattern);
    if (found == null) {
      throw Effort.current().failed("a pattern must be a text after =~ in the expression");
    }
    Effort.current().spend((long) found.programSize() * (text.length() + 1));
    return found.matches(text);
  }
}
