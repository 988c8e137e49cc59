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
    return new CommandLine(new AllSuites(suites))
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
  void shouldKeepOtherResultsWhenASuiteFails() throws IOException {
    Files.writeString(directory.resolve("old.json"), "{}");

    int code =
        run(
            List.of(
                suite("a", AllSuitesTest::measure),
                suite(
                    "b",
                    (context, rounds) -> {
                      throw new IllegalStateException("a message was lost");
                    })),
            "--quick",
            "--results",
            directory.toString());

    assertThat(code).isEqualTo(CommandLine.ExitCode.SOFTWARE);
    assertThat(directory)
        .isDirectoryContaining("glob:**old.json")
        .isDirectoryContaining("glob:**a.json");
  }
}
