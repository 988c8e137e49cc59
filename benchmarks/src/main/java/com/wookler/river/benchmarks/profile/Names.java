package com.wookler.river.benchmarks.profile;

import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Names of threads and frames, so that what is alike is one, and as short as there is room for. */
final class Names {
  private static final Pattern NUMBERS = Pattern.compile("@[0-9a-f]+|[-#$]?[0-9]+");
  private static final Pattern LAMBDA = Pattern.compile("\\$\\$Lambda.*");
  private static final Pattern ADDRESS = Pattern.compile("[./+]0x[0-9a-f]+");
  private static final String CUT = "..";

  private Names() {}

  /** A thread's name without its numbers. */
  static String ofThreads(String thread) {
    String name = NUMBERS.matcher(thread).replaceAll("");
    return name.isBlank() ? thread : name;
  }

  /** Class and method; of classes that are made at run time, without what differs in each run. */
  static String ofFrame(String type, String method) {
    String lasting = LAMBDA.matcher(type).replaceAll("\\$\\$Lambda");
    return ADDRESS.matcher(lasting).replaceAll("") + "." + method;
  }

  /**
   * As much of a frame's name as fits: with its packages' initials, without packages, cut off, or
   * nothing.
   */
  static String fit(String name, int characters) {
    List<String> parts = Arrays.asList(name.split("\\."));
    int packages = Math.max(0, parts.size() - 2); // the last two are class and method
    String bare = String.join(".", parts.subList(packages, parts.size()));
    String initials =
        parts.subList(0, packages).stream()
            .filter(part -> !part.isEmpty())
            .map(part -> part.charAt(0) + ".")
            .collect(Collectors.joining());
    if (initials.length() + bare.length() <= characters) {
      return initials + bare;
    }
    if (bare.length() <= characters) {
      return bare;
    }
    int kept = characters - CUT.length();
    return kept < 1 ? "" : bare.substring(0, kept) + CUT;
  }
}
