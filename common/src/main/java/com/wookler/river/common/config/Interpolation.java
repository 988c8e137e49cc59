package com.wookler.river.common.config;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Replaces {@code ${sys:…}} and {@code ${env:…}}, in values that these have too. There is no other
 * look-up, so that a configuration cannot read files or reach hosts.
 */
final class Interpolation {
  private static final String START = "${";
  private static final char END = '}';
  private static final String DEFAULT = ":-";

  private final Deque<String> inside = new ArrayDeque<>(); // the variables being replaced

  /**
   * Returns the text with its variables replaced.
   *
   * @throws IllegalArgumentException a variable is not set
   */
  String resolve(String text) {
    inside.clear();
    return resolve(text, text);
  }

  private String resolve(String text, String whole) {
    StringBuilder resolved = new StringBuilder();
    int done = 0;
    for (int at = text.indexOf(START); at >= 0; at = text.indexOf(START, done)) {
      int end = end(text, at + START.length());
      boolean isEscaped = at > 0 && text.charAt(at - 1) == '$'; // which is not there
      String value =
          end < 0 || isEscaped ? null : value(text.substring(at + START.length(), end), whole);
      if (value == null) {
        throw new IllegalArgumentException(
            "'"
                + whole
                + "' holds a variable that is not set; use ${sys:name} for a system property,"
                + " ${env:name} for the environment, ${env:name:-default} with a default");
      }
      resolved.append(text, done, at).append(value);
      done = end + 1;
    }
    return resolved.append(text, done, text.length()).toString();
  }

  /** Returns where a variable ends, in whose default there may be others; -1: nowhere. */
  private static int end(String text, int from) {
    int depth = 1;
    for (int i = from; i < text.length(); i++) {
      if (text.startsWith(START, i)) {
        depth++;
      } else if (text.charAt(i) == END && --depth == 0) {
        return i;
      }
    }
    return -1;
  }

  private @Nullable String value(String variable, String whole) {
    int split = variable.indexOf(DEFAULT);
    String name = split < 0 ? variable : variable.substring(0, split);
    String value = lookUp(name);
    if (value == null) {
      return split < 0 ? null : resolve(variable.substring(split + DEFAULT.length()), whole);
    }
    if (inside.contains(name)) {
      throw new IllegalArgumentException("the variables in '" + whole + "' go round in circles");
    }
    inside.push(name);
    String resolved = resolve(value, whole);
    inside.pop();
    return resolved;
  }

  private static @Nullable String lookUp(String name) {
    if (name.startsWith("sys:")) {
      String property = name.substring(4);
      return property.isEmpty() ? null : System.getProperty(property);
    }
    return name.startsWith("env:") ? System.getenv(name.substring(4)) : null;
  }
}
