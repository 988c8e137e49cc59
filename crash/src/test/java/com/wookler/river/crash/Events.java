package com.wookler.river.crash;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/**
 * Real events, a line of JSON each: those of the examples, or of the gzipped file that {@code
 * river.crash.events} names; from the first again where there are not enough.
 */
final class Events {
  private static final String SHIPPED = "../examples/src/main/resources/flights-20k.ndjson.gz";
  private static final Pattern KEY = Pattern.compile("\"key\":\"([^\"]*)\"");

  private final List<String> lines;

  private Events(List<String> lines) {
    this.lines = lines;
  }

  /** The first of them. */
  static Events read(int most) throws IOException {
    Path file = Path.of(System.getProperty("river.crash.events", SHIPPED));
    try (BufferedReader reader =
        new BufferedReader(
            new InputStreamReader(
                new GZIPInputStream(Files.newInputStream(file)), StandardCharsets.UTF_8))) {
      return new Events(reader.lines().limit(most).toList());
    }
  }

  String get(int number) {
    return lines.get(number % lines.size());
  }

  /** Which aircraft it is about. */
  @Nullable String key(int number) {
    Matcher key = KEY.matcher(get(number));
    return key.find() ? key.group(1) : null;
  }
}
