package com.wookler.river.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Holds docs/performance.md to the results that are committed. */
class PerformanceDocTest {
  private static final Path DOC = Path.of("..", "docs", "performance.md");
  private static final Path RESULTS = Path.of("results");

  @Test
  void shouldShowWhatWasMeasured() throws IOException {
    String text = Files.readString(DOC);

    assertThat(new Report(Results.readAll(RESULTS)).fill(text))
        .as("run ./river bench report")
        .isEqualTo(text);
  }
}
