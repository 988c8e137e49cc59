package com.wookler.river.benchmarks.harness;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class AllSuitesTest {
  @TempDir private Path directory;

  private static Suite suite(String name, Suite.Measurement measurement) {
    return new Suite(
        name,
        "a suite",
        List.of(),
        new Suite.Jvm(false, "", 1),
        List.of(new Suite.Benchmark("one", name, "the work of " + name, measurement)));
  }

  private int run(List<Suite> suites, String... arguments) {
    return BenchmarkCommand.all(suites)
        .setOut(new PrintWriter(new StringWriter()))
        .setErr(new PrintWriter(new StringWriter()))
        .execute(arguments);
  }

  private static void measure(Context context, Rounds rounds) {
    rounds.add("work", "s", 1);
  }

  @Test
  void shouldReplaceAllResults() throws IOException {
    Files.writeString(directory.resolve("old.json"), "{}");
    Files.writeString(directory.resolve("notes.txt"), "kept");

    int code =
        run(
            List.of(suite("a", AllSuitesTest::measure), suite("b", AllSuitesTest::measure)),
            "--quick",
            "--results",
            directory.toString());

    assertThat(code).isZero();
    assertThat(directory)
        .isDirectoryNotContaining("glob:**old.json")
        .isDirectoryContaining("glob:**notes.txt");
    List<Run> runs = Run.readAll(directory);
    assertThat(runs).extracting(Run::command).containsOnly("./river bench all --quick").hasSize(2);
    assertThat(runs).extracting(Run::load).allMatch(load -> load.contains("idle"));
    assertThat(runs).flatExtracting(Run::rows).extracting(Row::table).containsExactly("a", "b");
  }

  @Test
  void shouldMeasureTheOthersWhenOneFails() throws IOException {
    Suite broken =
        suite(
            "a",
            (context, rounds) -> {
              throw new IllegalStateException("a message was lost");
            });
    String results = directory.toString();

    int code =
        run(List.of(broken, suite("b", AllSuitesTest::measure)), "--quick", "--results", results);

    assertThat(code).isEqualTo(CommandLine.ExitCode.SOFTWARE);
    List<Run> runs = Run.readAll(directory);
    assertThat(runs).flatExtracting(Run::rows).extracting(Row::table).containsExactly("b");
    assertThat(runs)
        .flatExtracting(Run::gaps)
        .singleElement()
        .asString()
        .contains("the work of a", "failed", "a message was lost");
  }

  @Test
  void shouldListWhatIsSkipped() throws IOException {
    Suite skipped =
        suite(
            "a",
            (context, rounds) -> {
              throw new Suite.SkippedException("there is no load generator");
            });

    assertThat(run(List.of(skipped), "--quick", "--results", directory.toString())).isZero();
    assertThat(Run.readAll(directory))
        .flatExtracting(Run::gaps)
        .singleElement()
        .asString()
        .contains("the work of a", "skipped", "there is no load generator");
  }
}
