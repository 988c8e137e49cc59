package com.wookler.river.benchmarks.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

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
    List<Run> runs = Run.readAll(RESULTS);
    String guide = Files.readString(GUIDE);
    String tables = Files.readString(TABLES);

    assertThatCode(() -> Report.check(guide + tables, runs)).doesNotThrowAnyException();
    assertThat(Report.fill(guide, runs)).as("run ./river bench report").isEqualTo(guide);
    assertThat(Report.fill(tables, runs)).as("run ./river bench report").isEqualTo(tables);
  }

  @Test
  void shouldShowAllThatIsGenerated() throws IOException {
    assertThat(Files.readString(GUIDE))
        .contains("<!-- generated: headline -->", "<!-- generated: missed -->");
    assertThat(Files.readString(TABLES)).contains("<!-- generated: targets -->");
  }

  /** Nothing measured is shown outside the parts that are made of the results. */
  @Test
  void shouldHaveNoTargetOutsideTheGeneratedParts() throws IOException {
    for (Path page : List.of(GUIDE, TABLES)) {
      String outside = Files.readString(page).replaceAll("(?s)<!-- generated: .*?<!-- end -->", "");
      assertThat(outside.lines().filter(line -> line.startsWith("|")))
          .as(page.toString())
          .noneMatch(line -> line.matches(".*(msg/s|\\bmet\\b|missed).*"));
    }
  }
}
