package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.testing.MarkdownPage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Holds docs/reliability-proofs.md to the tests that it names, and to the guides that link to it.
 */
class ReliabilityDocTest {
  private static final Path DOCS = Path.of("..", "docs");
  private static final String PROOFS = "reliability-proofs.md";
  private static final Pattern NAMED = Pattern.compile("`(\\w+(?:Test|Contract))\\.(should\\w+)`");

  private static final List<String> MODULES =
      List.of(
          "ack",
          "core",
          "common",
          "forward",
          "filter",
          "jdbc",
          "kafka",
          "crash",
          "reactor",
          "rest-client",
          "rest-server",
          "relay",
          "opentelemetry",
          "spring-boot-3-starter",
          "tools");

  @ParameterizedTest
  @ValueSource(strings = {PROOFS, "database.md"})
  void shouldNameTestsThatExist(String page) throws IOException {
    List<MatchResult> named =
        NAMED.matcher(Files.readString(DOCS.resolve(page))).results().toList();
    Map<String, String> sources = sources();

    assertThat(named).isNotEmpty();
    assertThat(named)
        .filteredOn(
            test -> !sources.getOrDefault(test.group(1), "").contains(" " + test.group(2) + "("))
        .extracting(MatchResult::group)
        .isEmpty();
  }

  @Test
  void shouldLinkFromAGuideToEachProof() throws IOException {
    String guides =
        Files.readString(DOCS.resolve("reliability.md"))
            + Files.readString(DOCS.resolve("delivery.md"))
            + Files.readString(DOCS.resolve("operating.md"));

    assertThat(new MarkdownPage(DOCS.resolve(PROOFS)).anchors(3))
        .isNotEmpty()
        .allSatisfy(anchor -> assertThat(guides).contains("(" + PROOFS + "#" + anchor + ")"));
  }

  /** Returns the sources of all tests by class name, which two modules may share. */
  private static Map<String, String> sources() throws IOException {
    Map<String, String> sources = new HashMap<>();
    for (String module : MODULES) {
      try (Stream<Path> files = Files.walk(Path.of("..", module, "src", "test", "java"))) {
        for (Path file : files.filter(each -> each.toString().endsWith(".java")).toList()) {
          String name = file.getFileName().toString().replace(".java", "");
          sources.merge(name, Files.readString(file), String::concat);
        }
      }
    }
    return sources;
  }
}
