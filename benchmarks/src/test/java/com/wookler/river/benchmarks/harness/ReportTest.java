package com.wookler.river.benchmarks.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportTest {
  private static final String LINE = "publish 1 KiB, 1 thread";
  private static final Row CHRONICLE =
      new Row("publish", LINE, "chronicle", "msg/s", 987_654, 9, 1e6, null, Map.of(), "");
  private static final Run RUN = run(1.25);

  private static Run run(double ratio) {
    Row river =
        new Row(
            "publish",
            LINE,
            "river",
            "msg/s",
            1_234_567,
            1_000_000,
            2_000_000,
            new Row.Ratio("chronicle", ratio, 1.1, 1.5),
            Map.of("B allocated/msg", 0.5),
            "as it comes");
    return new Run(
        "./river bench run",
        Instant.parse("2026-11-20T10:00:00Z"),
        "2 cores of a cpu, 8 GB, an os, ext4, JDK 17",
        List.of(river, CHRONICLE));
  }

  private static String part(String name) {
    return "before\n<!-- generated: " + name + " -->\nold\n<!-- end -->\nafter\n";
  }

  @Test
  void shouldReplaceTheTableAndLeaveTheRest() throws IOException {
    String text = Report.fill(part("publish"), List.of(RUN));

    assertThat(text)
        .isEqualTo(
            """
            before
            <!-- generated: publish -->

            `./river bench run`, 2026-11-20, 2 cores of a cpu, 8 GB, an os, ext4, JDK 17:

            | work | system | msg/s | min–max | ratio (min–max) | B allocated/msg |
            |---|---|--:|--:|--:|--:|
            | publish 1 KiB, 1 thread | river (1) | 1,234,567 | 1,000,000–2,000,000 | 1.25 × chronicle (1.10–1.50) | 0.50 |
            | publish 1 KiB, 1 thread | chronicle | 987,654 | 9.00–1,000,000 |  |  |

            1. river: as it comes.

            <!-- end -->
            after
            """);
    assertThat(Report.fill(text, List.of(RUN))).isEqualTo(text);
  }

  @Test
  void shouldSayWhereNothingWasMeasured() throws IOException {
    assertThat(Report.fill(part("consume"), List.of()))
        .isEqualTo(
            "before\n<!-- generated: consume -->\n\nnot measured yet\n\n<!-- end -->\nafter\n");
  }

  @Test
  void shouldRefuseATableWithoutAPart() {
    assertThatThrownBy(() -> Report.fill(part("consume"), List.of(RUN)))
        .hasMessageContaining("publish");
  }

  @Test
  void shouldShowWhichTargetsAreMetAndMissed() throws IOException {
    String parts = part("targets") + part("publish");

    assertThat(Report.fill(parts, List.of(RUN)))
        .contains("| publish 1 KiB, 1 thread | ≥ 1.20 × chronicle | 1.25 × chronicle | met |")
        .contains("| publish 1 KiB, 1 thread, allocated | ≤ 1.00 B/msg | 0.50 B/msg | met |")
        .contains("| publish 100 B, 1 thread | ≥ 0.70 × chronicle |  | not measured yet |");
    assertThat(Report.fill(parts, List.of(run(1.19))))
        .contains(
            "| publish 1 KiB, 1 thread | ≥ 1.20 × chronicle | 1.19 × chronicle | **missed** |");
  }

  @Test
  void shouldReadWhatItWrote(@TempDir Path directory) throws IOException {
    Map<String, Double> extra = new LinkedHashMap<>();
    extra.put("z", 1.0);
    extra.put("a", 2.0);
    Row row = new Row("publish", "one", "river", "msg/s", 2, 1, 3, null, extra, "as it comes");
    List<Row> rows = List.of(row, RUN.rows().get(0), CHRONICLE);
    Run run = new Run("./river bench", RUN.date(), "a machine", rows);
    Path file = directory.resolve("results").resolve("publish.json");

    run.write(file);

    assertThat(Run.read(file)).isEqualTo(run);
    assertThat(Run.read(file).rows().get(0).extra()).containsExactlyEntriesOf(extra);
    assertThat(Run.readAll(file.getParent())).containsExactly(run);
    assertThat(Run.readAll(directory.resolve("none"))).isEmpty();
  }
}
