package com.wookler.river.benchmarks.harness;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Holds the pages on performance to the results that are committed. */
class PerformanceDocTest {
  private static final Path GUIDE = Path.of("..", "docs", "performance.md");
  private static final Path TABLES = Path.of("..", "docs", "performance-tables.md");
  private static final Path RESULTS = Path.of("results");

  @Test
  void shouldShowWhatWasMeasured() throws IOException {
    String text = Files.readString(TABLES);

    assertThat(Report.fill(text, Run.readAll(RESULTS)))
        .as("run ./river bench report")
        .isEqualTo(text);
  }

  @Test
  void shouldRepeatRowsOfTheTablesInItsHeadline() throws IOException {
    String guide = Files.readString(GUIDE);
    List<String> headline =
        guide
            .substring(guide.indexOf("## The headline"), guide.indexOf("## How it is measured"))
            .lines()
            .filter(line -> line.startsWith("|"))
            .toList();

    assertThat(headline).hasSizeGreaterThan(10);
    assertThat(Files.readAllLines(TABLES)).containsAll(headline);
  }
}
