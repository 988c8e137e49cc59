package com.wookler.river.benchmarks.scale;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.benchmarks.report.Results;
import com.wookler.river.benchmarks.report.Run;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class ScaleCommandTest {
  @TempDir Path directory;

  private final StringWriter out = new StringWriter();

  private int run(String... arguments) {
    return new CommandLine(new ScaleCommand()).setOut(new PrintWriter(out)).execute(arguments);
  }

  @Test
  void shouldListItsParts() {
    assertThat(run("--list")).isZero();
    assertThat(out.toString().lines()).hasSameSizeAs(Parts.all());
  }

  @Test
  void shouldMeasureInAJvmOfItsOwnAndLeaveOnlyTheResults() throws Exception {
    Path json = directory.resolve("scale.json");
    Path data = directory.resolve("data");
    int code =
        run(
            "--only",
            "redelivery",
            "--quick",
            "--rounds",
            "1",
            "--directory",
            data.toString(),
            "--json",
            json.toString());
    assertThat(code).isZero();
    assertThat(data).isEmptyDirectory();
    Run run = Results.read(json);
    assertThat(run.command()).contains("--only redelivery --quick --rounds 1");
    assertThat(run.rows()).hasSize(2);
    assertThat(out.toString()).contains("deliver 2,000 again");
  }
}
