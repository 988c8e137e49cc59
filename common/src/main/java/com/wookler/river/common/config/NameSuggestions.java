package com.wookler.river.common.config;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;
import java.util.TreeSet;

/** Suggests known names for a misspelt one. */
final class NameSuggestions {
  private NameSuggestions() {}

  /** Returns a suggestion for an unknown name: the nearest known one or, if none is near, all. */
  static String suggest(String unknown, Collection<String> known) {
    if (known.isEmpty()) {
      return "none is allowed";
    }
    return nearest(unknown, known)
        .map(name -> "did you mean '" + name + "'?")
        .orElseGet(() -> "known are: " + String.join(", ", new TreeSet<>(known)));
  }

  /** Returns the nearest known name; empty if none is near. */
  static Optional<String> nearest(String unknown, Collection<String> known) {
    int limit = Math.max(2, unknown.length() / 3);
    return known.stream()
        .min(
            Comparator.<String>comparingInt(name -> editDistance(unknown, name))
                .thenComparing(Comparator.naturalOrder()))
        .filter(name -> editDistance(unknown, name) <= limit);
  }

  /** Returns the Levenshtein distance: how many letters must be changed, added or removed. */
  static int editDistance(String one, String other) {
    int[] above = new int[other.length() + 1];
    for (int j = 0; j <= other.length(); j++) {
      above[j] = j;
    }
    for (int i = 1; i <= one.length(); i++) {
      int[] row = new int[other.length() + 1];
      row[0] = i;
      for (int j = 1; j <= other.length(); j++) {
        int change = one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1;
        row[j] = Math.min(above[j - 1] + change, Math.min(above[j], row[j - 1]) + 1);
      }
      above = row;
    }
    return above[other.length()];
  }
}
