package com.wookler.river.benchmarks.reactor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class ReactorCommandTest {
  @TempDir Path directory;

  @Test
  void shouldCompareAndWatch() {
    StringWriter out = new StringWriter();

    int code =
        new CommandLine(new ReactorCommand())
            .setOut(new PrintWriter(out, true))
            .execute(
                "--count=300",
                "--size=100",
                "--rounds=1",
                "--idle=2",
                "--seconds=1",
                "--directory=" + directory);

    assertThat(code).isZero();
    assertThat(out.toString())
        .containsPattern("round 1: batch\\(64\\) and ack [\\d,]+/s, reactor [\\d,]+/s, ratio")
        .containsPattern("median ratio: \\d+\\.\\d\\d")
        .containsPattern("2 subscribers: \\d+\\.\\d\\d % of a processor")
        .containsPattern("with 2 idle reactors: \\d+\\.\\d\\d % of a processor");
    assertThat(directory).isEmptyDirectory();
  }
}
