package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every test that a page names as the holder of a promise is there. */
class ReliabilityDocTest {
  private static final Pattern NAMED = Pattern.compile("`(\\w+(?:Test|Contract))\\.(should\\w+)`");

  private static final List<String> MODULES =
      List.of("core", "common", "crash", "reactor", "rest-client", "rest-server", "relay", "tools");

  @ParameterizedTest
  @ValueSource(strings = {"reliability.md", "delivery.md", "database.md"})
  void shouldNameTestsThatExist(String page) throws IOException {
    List<MatchResult> named =
        NAMED.matcher(Files.readString(Path.of("..", "docs", page))).results().toList();

    assertThat(named).isNotEmpty();
    assertThat(named)
        .allSatisfy(each -> assertThat(source(each.group(1))).contains(" " + each.group(2) + "("));
  }

  private static String source(String test) throws IOException {
    for (String module : MODULES) {
      try (Stream<Path> files = Files.walk(Path.of("..", module, "src", "test", "java"))) {
        List<Path> found = files.filter(file -> file.endsWith(test + ".java")).toList();
        if (!found.isEmpty()) {
          return Files.readString(found.get(0));
        }
      }
    }
    return "no " + test;
  }
}
