package com.wookler.river.benchmarks.jmh;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.benchmarks.report.Row;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;
import picocli.CommandLine;

/** Whether every benchmark runs; how fast is nothing for a test. */
class BenchmarksTest {
  private static final List<String> WITH_SIZE =
      List.of(
          "Checksum.crc32cOfArray",
          "Checksum.crc32cOfMemory",
          "Consume.batch64",
          "Consume.batch64AndAck",
          "Consume.next",
          "Consume.nextAndAck",
          "Converter.bytes",
          "Converter.utf8FromBytes",
          "Converter.utf8ToBytes",
          "Envelope.build",
          "Envelope.read",
          "Envelope.stamp",
          "Publish.publish",
          "Publish.publishAll64");
  private static final List<String> SIZELESS =
      List.of("Ack.ack", "Ack.ack64", "ConsumeByKey.manyKeys", "ConsumeByKey.oneKey");

  /** All of them in this JVM, for one short round. */
  private static List<Row> runAll() throws RunnerException {
    System.setProperty("jmh.ignoreLock", "true"); // another build may run them now
    try {
      return JmhRows.of(
          new Runner(
                  new OptionsBuilder()
                      .include(BenchmarksTest.class.getPackageName().replace(".", "\\."))
                      .addProfiler(GCProfiler.class)
                      .shouldFailOnError(true)
                      .verbosity(VerboseMode.SILENT)
                      .forks(0)
                      .warmupIterations(0)
                      .measurementIterations(1)
                      .measurementTime(TimeValue.milliseconds(10))
                      .build())
              .run());
    } finally {
      System.clearProperty("jmh.ignoreLock");
    }
  }

  @Test
  @Timeout(value = 5, unit = TimeUnit.MINUTES)
  void shouldRunEachBenchmarkAndKnowItsTimeAndAllocation() throws RunnerException {
    List<Row> rows = runAll();

    assertThat(rows)
        .extracting(Row::line)
        .containsExactlyInAnyOrderElementsOf(
            Stream.concat(
                    SIZELESS.stream(),
                    WITH_SIZE.stream()
                        .flatMap(name -> Stream.of(name + ", 100 B", name + ", 1024 B")))
                .toList());
    assertThat(rows)
        .allSatisfy(
            row -> {
              assertThat(row.unit()).isEqualTo("ns/op");
              assertThat(row.median()).isPositive();
              assertThat(row.extra().containsKey(JmhRows.ALLOCATED))
                  .as(row.line())
                  .isEqualTo(!row.line().startsWith("Ack."));
            });
  }

  @Test
  void shouldSayWhenNoBenchmarkIsNamed() {
    StringWriter err = new StringWriter();

    int code =
        new CommandLine(new JmhCommand())
            .setErr(new PrintWriter(err, true))
            .setExecutionExceptionHandler(
                (e, command, given) -> {
                  command.getErr().println(e.getMessage());
                  return CommandLine.ExitCode.USAGE;
                })
            .execute("--include", "nothing-like-this");

    assertThat(code).isEqualTo(CommandLine.ExitCode.USAGE);
    assertThat(err).hasToString("--include nothing-like-this names no benchmark\n");
  }
}
