package com.wookler.river.benchmarks.profile;

import java.util.Arrays;
import java.util.List;

/** Whose code a frame is. */
enum Owner {
  /** First, for its packages are in River's. */
  HARNESS("harness", "#cdb9e6", "com.wookler.river.benchmarks."),
  RIVER("River", "#6db3e0", "com.wookler.river."),
  CHRONICLE("Chronicle", "#f2a65a", "net.openhft."),
  JDK("JDK", "#a3d08f", "java.", "javax.", "jdk.", "sun.", "com.sun."),
  OTHER("other", "#d8c9a8"),
  /** No code, but the name of threads. */
  THREAD("threads", "#e6e6e6");

  private final String text;
  private final String colour;

  @SuppressWarnings("ImmutableEnumChecker") // made by List.of
  private final List<String> packages;

  Owner(String text, String colour, String... packages) {
    this.text = text;
    this.colour = colour;
    this.packages = List.of(packages);
  }

  /** Of a frame. */
  static Owner of(String frame) {
    return Arrays.stream(values())
        .filter(owner -> owner.packages.stream().anyMatch(frame::startsWith))
        .findFirst()
        .orElse(OTHER);
  }

  /** For the legend. */
  String text() {
    return text;
  }

  String colour() {
    return colour;
  }
}
