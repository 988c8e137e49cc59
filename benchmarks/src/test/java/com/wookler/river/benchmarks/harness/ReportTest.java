package com.wookler.river.benchmarks.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportTest {
  private static final String LINE = "publish 1 KiB, 1 thread";
  private static final Row CHRONICLE =
      new Row(
          "publish", LINE, "chronicle", "msg/s", 987_654, 9, 1e6, null, List.of(), Map.of(), "");
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
            List.of(new Row.Ratio("limit", 0.3, 0.25, 0.35)),
            Map.of("B allocated/msg", 0.5),
            "as it comes");
    return new Run(
        "./river bench run",
        Instant.parse("2026-11-20T10:00:00Z"),
        "2 cores of a cpu, 8 GB, an os, ext4, JDK 17",
        "0123456789",
        "99 % idle and load average 0.10 before",
        1_800,
        List.of(river, CHRONICLE),
        List.of());
  }

  private static Run with(List<Row> rows, Run.Gap... gaps) {
    return RUN.with(Duration.ofMinutes(6), rows, List.of(gaps));
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

            `./river bench run`, 2026-11-20, commit 0123456789, 2 cores of a cpu, 8 GB, an os, ext4, JDK 17, 99 % idle and load average 0.10 before:

            | work | system | msg/s | min–max | ratio (min–max) | × limit | B allocated/msg |
            |---|---|--:|--:|--:|--:|--:|
            | publish 1 KiB, 1 thread | river (1) | 1,234,567 | 1,000,000–2,000,000 | 1.25 × chronicle (1.10–1.50) | 0.30 (0.25–0.35) | 0.50 |
            | publish 1 KiB, 1 thread | chronicle | 987,654 | 9.00–1,000,000 |  |  |  |

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
    Report.check(part("consume") + part("publish"), List.of(RUN));
    assertThatThrownBy(() -> Report.check(part("consume"), List.of(RUN)))
        .hasMessageContaining("publish");
  }

  @Test
  void shouldShowWhichTargetsAreMetAndMissed() throws IOException {
    String parts = part("targets") + part("publish");

    assertThat(Report.fill(parts, List.of(run(2.5))))
        .contains(
            "| publish 1 KiB, 1 thread | ≥ 2.50 × chronicle | 2.50 × chronicle | 1.10–1.50 | met |")
        .contains(
            "| publish 1 KiB, 1 thread | ≥ 0.50 × limit | 0.30 × limit | 0.25–0.35 | **missed** |")
        .contains("| publish 1 KiB, 1 thread, allocated | ≤ 1.00 B/msg | 0.50 B/msg |  | met |")
        .contains("| publish 100 B, 1 thread | ≥ 2.00 × chronicle |  |  | not measured yet |");
    assertThat(Report.fill(parts, List.of(run(2.49))))
        .contains("| 2.49 × chronicle | 1.10–1.50 | **missed** |");
  }

  @Test
  void shouldDivideOnlyRowsOfOneRun() {
    String four = "publish 100 B, 4 threads";
    Row many =
        new Row(
            "publish",
            "publish 100 B, 16 threads",
            "river",
            "msg/s",
            6,
            5,
            7,
            null,
            List.of(),
            Map.of(),
            "");
    Row few = new Row("publish", four, "river", "msg/s", 4, 3, 5, null, List.of(), Map.of(), "");
    String target = "| publish 100 B, 16 threads, against " + four + " | ≥ 1.00 × itself | ";

    assertThat(Report.fill(part("targets"), List.of(with(List.of(many, few)))))
        .contains(target + "1.50 × itself |  | met |");
    assertThat(Report.fill(part("targets"), List.of(with(List.of(many)), with(List.of(few)))))
        .contains(target + " |  | not measured yet |");
  }

  @Test
  void shouldCountTheTargetsAndShowTheMissedOnes() {
    assertThat(Report.fill(part("missed"), List.of(run(2.49))))
        .containsPattern("\n1 targets are met, \\d+ are not measured yet, and 2 are missed")
        .contains("Measuring all took 30 minutes.\n")
        .contains("| publish 1 KiB, 1 thread | ≥ 2.50 × chronicle | 2.49 × chronicle |")
        .doesNotContain("| met |", "not measured yet |", "Not measured:");
  }

  @Test
  void shouldShowWhatFailed() {
    Run.Gap gap = new Run.Gap("publish", "publish 100 B, 1 thread", "failed: no space");
    List<Run> runs = List.of(with(List.of(CHRONICLE), gap));
    String line = "\nNot measured: publish 100 B, 1 thread (failed: no space).\n";

    assertThat(Report.fill(part("publish"), runs)).contains("987,654", line);
    assertThat(Report.fill(part("missed"), runs)).contains(line);
    assertThat(Report.fill(part("consume"), runs)).doesNotContain(line);
    Report.check(part("publish"), runs);
  }

  @Test
  void shouldShowWhyATargetIsMissed() {
    Map<String, String> reasons = Map.of("publish 1 KiB, 1 thread", "the device");

    assertThat(Report.missed(List.of(run(2.49)), reasons))
        .contains("| 2.49 × chronicle | 1.10–1.50 | the device |");
    assertThat(Report.missed(List.of(run(2.49)), Map.of()))
        .contains("| 2.49 × chronicle | 1.10–1.50 | no profile yet |");
  }

  /** Each reason is that of a target, so that none stays when its target goes. */
  @Test
  void shouldHaveReasonsOfTargetsOnly() {
    assertThat(Report.targetTexts()).containsAll(Report.reasons().keySet());
  }

  @Test
  void shouldShowAllSystemsSideBySide() {
    Row other = new Row("forced", "f", "river", "msg/s", 5, 4, 6, null, List.of(), Map.of(), "");
    Row latency = new Row("latency", "l", "river", "µs", 5, 4, 6, null, List.of(), Map.of(), "");
    Run second = with(List.of(other, latency));

    assertThat(Report.fill(part("headline"), List.of(RUN, second)))
        .isEqualTo(
            """
            before
            <!-- generated: headline -->

            | messages a second | river | chronicle | river × chronicle | river × limit |
            |---|--:|--:|--:|--:|
            | publish 1 KiB, 1 thread | 1,234,567 | 987,654 | 1.25 (1.10–1.50) | 0.30 (0.25–0.35) |
            | f | 5.00 |  |  |  |

            <!-- end -->
            after
            """);
    assertThat(Report.fill(part("headline"), List.of())).contains("-->\n\n\n<!--");
  }

  @Test
  void shouldRefuseALineOfTwoRuns() {
    Run other = with(List.of(CHRONICLE));

    assertThatThrownBy(() -> Report.check(part("publish"), List.of(RUN, other)))
        .hasMessageContaining(LINE)
        .hasMessageContaining("two runs");
  }

  @Test
  void shouldReadResultsWithoutWhatIsRecordedSince(@TempDir Path directory) throws IOException {
    Path file = directory.resolve("old.json");
    Files.writeString(
        file,
        """
        {"command": "c", "date": "2026-11-20T10:00:00Z", "machine": "m", "rows": [{
          "table": "t", "line": "l", "system": "river", "unit": "s", "median": 2, "min": 1,
          "max": 3, "ratio": null, "extra": {}, "note": ""}]}
        """);

    Run run = Run.read(file);
    assertThat(run.describe()).isEqualTo("`c`, 2026-11-20, m");
    assertThat(run.rows().get(0).shares()).isEmpty();
  }

  @Test
  void shouldReadWhatItWrote(@TempDir Path directory) throws IOException {
    Map<String, Double> extra = new LinkedHashMap<>();
    extra.put("z", 1.0);
    extra.put("a", 2.0);
    Row row =
        new Row("publish", "one", "river", "msg/s", 2, 1, 3, null, List.of(), extra, "as it comes");
    List<Row> rows = List.of(row, RUN.rows().get(0), CHRONICLE);
    Run run = with(rows);
    Path file = directory.resolve("results").resolve("publish.json");

    run.write(file);

    assertThat(Run.read(file)).isEqualTo(run);
    assertThat(Run.read(file).rows().get(0).extra()).containsExactlyEntriesOf(extra);
    assertThat(Run.readAll(file.getParent())).containsExactly(run);
    assertThat(Run.readAll(directory.resolve("none"))).isEmpty();
  }
}
