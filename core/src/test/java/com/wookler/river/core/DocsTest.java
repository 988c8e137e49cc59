package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.testing.MarkdownPage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Holds every page of the project to what makes it readable. */
class DocsTest {
  private static final Path ROOT = Path.of("..");
  private static final int LONGEST_ROW = 300;

  static List<Path> pages() throws IOException {
    try (Stream<Path> root = Files.list(ROOT);
        Stream<Path> modules = Files.find(ROOT, 2, (file, is) -> file.endsWith("README.md"));
        Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
      return Stream.of(root, modules, docs)
          .flatMap(files -> files)
          .filter(file -> file.toString().endsWith(".md"))
          .distinct()
          .sorted()
          .toList();
    }
  }

  @ParameterizedTest
  @MethodSource("pages")
  void shouldHaveShortRowsInTables(Path page) throws IOException {
    assertThat(new MarkdownPage(page).tableRows())
        .filteredOn(row -> row.length() > LONGEST_ROW)
        .as("rows of more than %s characters", LONGEST_ROW)
        .isEmpty();
  }

  @ParameterizedTest
  @MethodSource("pages")
  void shouldLinkToWhatIsThere(Path page) throws IOException {
    assertThat(new MarkdownPage(page).brokenLinks()).isEmpty();
  }
}
