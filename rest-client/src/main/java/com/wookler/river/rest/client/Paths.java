package com.wookler.river.rest.client;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/** Builds the paths of the contract. */
final class Paths {
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9._-]{0,63}");

  private Paths() {}

  static String name(String name) {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "'"
              + name
              + "' is not a valid name: 1 to 64 of A-Z a-z 0-9 . _ -, not starting with a dot or hyphen");
    }
    return name;
  }

  static String queue(String queue) {
    return "/v1/queues/" + queue;
  }

  static String subscriber(String queue, String subscriber) {
    return queue(queue) + "/subscribers/" + subscriber;
  }

  static String query(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }
}
