package com.wookler.river.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ReportTest {
  private static final String LINE = "publish 1 KiB, 1 thread";

  private static final Row RIVER =
      new Row(
          "publish",
          LINE,
          "river",
          "msg/s",
          1_234_567,
          1_000_000,
          2_000_000,
          new Ratio("chronicle", 1.25, 1.1, 1.5),
          Map.of("B allocated/msg", 0.5),
          "as it comes");
  private static final Row CHRONICLE =
      new Row("publish", LINE, "chronicle", "msg/s", 987_654, 9, 1e6, null, Map.of(), "");
  private static final Run RUN =
      new Run(
          "./river bench run",
          Instant.parse("2026-11-20T10:00:00Z"),
          new Machine(2, "a cpu", 8_000_000_000L, "an os", "ext4", "17"),
          List.of(RIVER, CHRONICLE));

  private static String part(String name) {
    return "before\n<!-- generated: " + name + " -->\nold\n<!-- end -->\nafter\n";
  }

  @Test
  void shouldPutTheTableInItsPlaceAndLeaveTheRest() {
    String text = new Report(List.of(RUN)).fill(part("publish"));

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
  }

  @Test
  void shouldComeToTheSameWhenDoneTwice() {
    Report report = new Report(List.of(RUN));
    String once = report.fill(part("publish"));

    assertThat(report.fill(once)).isEqualTo(once);
  }

  @Test
  void shouldSaySoWhereNothingWasMeasured() {
    assertThat(new Report(List.of()).fill(part("consume")))
        .isEqualTo(
            "before\n<!-- generated: consume -->\n\nnot measured yet\n\n<!-- end -->\nafter\n");
  }

  @Test
  void shouldRefuseATableWithoutAPlace() {
    assertThatThrownBy(() -> new Report(List.of(RUN)).fill(part("consume")))
        .hasMessageContaining("publish");
  }

  @Test
  void shouldTellWhichTargetsAreMet() {
    String text = new Report(List.of(RUN)).fill(part("targets") + part("publish"));

    assertThat(text)
        .contains("| publish 1 KiB, 1 thread | ≥ 1.20 × chronicle | 1.25 × chronicle | met |")
        .contains("| publish 1 KiB, 1 thread, allocated | ≤ 1.00 B/msg | 0.50 B/msg | met |")
        .contains("| publish 100 B, 1 thread | ≥ 0.70 × chronicle |  | not measured yet |");
  }

  @Test
  void shouldTellWhichTargetsAreMissed() {
    Row slow =
        new Row(
            "publish",
            LINE,
            "river",
            "msg/s",
            1,
            1,
            1,
            new Ratio("chronicle", 1.19, 1, 2),
            Map.of(),
            "");
    Run run = new Run(RUN.command(), RUN.date(), RUN.machine(), List.of(slow));

    assertThat(new Report(List.of(run)).fill(part("targets") + part("publish")))
        .contains(
            "| publish 1 KiB, 1 thread | ≥ 1.20 × chronicle | 1.19 × chronicle | **missed** |");
  }
}
