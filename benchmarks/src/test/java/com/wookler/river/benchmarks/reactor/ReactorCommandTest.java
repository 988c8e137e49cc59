package com.wookler.river.benchmarks.reactor;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.benchmarks.report.ReportCommand;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class ReactorCommandTest {
  @TempDir Path directory;

  @Test
  void shouldMeasureWhatTargetsAskFor() throws IOException {
    Path document = directory.resolve("document.md");
    String parts = "<!-- generated: %s -->\n<!-- end -->\n";
    Files.writeString(document, parts.formatted("targets") + parts.formatted("reactor"));
    Path results = directory.resolve("results");
    Path data = directory.resolve("data");
    StringWriter out = new StringWriter();

    int code =
        new CommandLine(new ReactorCommand())
            .setOut(new PrintWriter(out, true))
            .execute("--quick", "--directory=" + data, "--json=" + results.resolve("reactor.json"));
    int reported =
        new CommandLine(new ReportCommand())
            .execute("--results=" + results, "--document=" + document);

    assertThat(code).isZero();
    assertThat(reported).isZero();
    assertThat(out.toString())
        .containsPattern("empty processor \\| river \\| .* × batch\\(64\\) and ack")
        .containsPattern("reactor at rest has it \\| river")
        .containsPattern("reactor that waits has it \\| river")
        .containsPattern("100 subscribers without reactors \\| river")
        .containsPattern("100 idle reactors \\| river");
    assertThat(Files.readString(document).lines())
        .filteredOn(line -> line.matches(".*(processor|reactor).*(met|missed|measured yet).*"))
        .hasSize(6)
        .noneMatch(line -> line.contains("not measured yet"));
    assertThat(data).isEmptyDirectory();
  }
}
