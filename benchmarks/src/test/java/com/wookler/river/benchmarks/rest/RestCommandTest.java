package com.wookler.river.benchmarks.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.benchmarks.report.Results;
import com.wookler.river.benchmarks.report.Row;
import com.wookler.river.benchmarks.report.Run;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

@Timeout(120)
class RestCommandTest {
  @TempDir Path directory;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... arguments) {
    return new CommandLine(new RestCommand())
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(arguments);
  }

  @Test
  void shouldListItsLines() {
    assertThat(run("--list")).isZero();
    assertThat(out.toString().lines()).hasSameSizeAs(RestLines.all());
  }

  /** Where there is no wrk it says so, and does what it can. */
  @Test
  void shouldMeasureEachLineAndLeaveOnlyTheResults() throws Exception {
    Path json = directory.resolve("rest.json");
    Path data = directory.resolve("data");

    assertThat(run("--quick", "--directory", data.toString(), "--json", json.toString()))
        .as(err::toString)
        .isZero();

    assertThat(data).isEmptyDirectory();
    Run run = Results.read(json);
    List<String> measured = run.rows().stream().map(Row::line).toList();
    assertThat(measured)
        .contains(
            "10,000 long polls, resident memory",
            "10,000 idle connections, p99 of others against without",
            "publish 1 KiB by the Java client, 10 threads");
    assertThat(RestLines.all())
        .filteredOn(RestLine::needsWrk)
        .allSatisfy(
            line -> {
              if (Wrk.find().isPresent()) {
                assertThat(measured).contains(line.text());
              } else {
                assertThat(err.toString()).contains("SKIPPED: " + line.text());
              }
            });
    assertThat(run.rows())
        .filteredOn(row -> row.ratio() != null)
        .hasSize(Wrk.find().isPresent() ? 7 : 3)
        .allSatisfy(row -> assertThat(row.system()).isEqualTo("river"));
  }
}
