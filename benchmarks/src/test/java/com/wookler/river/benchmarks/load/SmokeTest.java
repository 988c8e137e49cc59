package com.wookler.river.benchmarks.load;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.benchmarks.report.MarkdownTable;
import com.wookler.river.benchmarks.report.Row;
import com.wookler.river.benchmarks.system.QueueSystem;
import com.wookler.river.benchmarks.system.Systems;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every line of every system still runs and counts right; no time is asserted. */
class SmokeTest {
  private static final long FEW = 256;

  @TempDir Path directory;

  static Stream<Arguments> rounds() {
    return Lines.every().stream()
        .flatMap(
            line ->
                Systems.all().stream()
                    .filter(system -> system.supports(line.workOf(system)))
                    .map(system -> Arguments.of(line.name(), system.name())));
  }

  @ParameterizedTest
  @MethodSource("rounds")
  void shouldRunAndCount(String line, String system) {
    Request request = new Request(line, system, directory.toString(), FEW, 10_000, true, null);

    Outcome outcome = new Rounds().run(request);

    int subscribers = Math.max(1, Lines.byName(line).work().consumers());
    assertThat(outcome.messages()).isEqualTo(FEW * subscribers);
    assertThat(outcome.figure()).isPositive();
    assertThat(outcome.extra()).containsKeys(Figures.ALLOCATED, Figures.CPU);
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void shouldSpeakToAJvmOfItsOwn() throws IOException {
    try (Worker worker = new ForkedWorker("128m", List.of())) {
      Request request = request("publish-100-1", "river");

      assertThat(worker.run(request).messages()).isEqualTo(FEW);
      assertThat(worker.run(request).messages()).isEqualTo(FEW);
    }
  }

  @Test
  void shouldCompareSystemsInATable() throws IOException {
    Plan plan = new Plan(2, 0, Duration.ofSeconds(10), Duration.ZERO, directory);
    List<QueueSystem> systems = List.of(Systems.byName("river"), Systems.byName("chronicle"));

    List<Row> rows;
    try (Contest contest =
        new Contest(Lines.byName("consume-100-ack"), plan, systems, Rounds::new, progress -> {})) {
      rows = contest.rows();
    }

    assertThat(rows).extracting(Row::system).containsExactly("river", "chronicle");
    assertThat(rows.get(0).ratio().to()).isEqualTo("chronicle");
    assertThat(rows.get(1).ratio()).isNull();
    assertThat(rows.get(1).note()).startsWith("here without acknowledgement");
    assertThat(MarkdownTable.of(rows)).contains("| consume 100 B, one by one, acknowledged |");
  }

  private Request request(String line, String system) {
    return new Request(line, system, directory.toString(), FEW, 10_000, false, null);
  }
}
