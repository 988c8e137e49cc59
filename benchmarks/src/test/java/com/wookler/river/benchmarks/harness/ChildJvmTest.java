package com.wookler.river.benchmarks.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

@Tag("full")
class ChildJvmTest {
  record Halve(int number) implements Context.Job<Integer> {
    private static int jobs;

    @Override
    public Integer call() {
      jobs++;
      System.out.println("this is no answer");
      if (number % 2 != 0) {
        throw new IllegalArgumentException(number + " is odd");
      }
      return number / 2 * jobs;
    }
  }

  @Test
  void shouldDoJobsOneAfterTheOther() throws IOException {
    try (ChildJvm child = new ChildJvm(List.of("-Xmx128m"))) {
      assertThat(child.ask(new Halve(8))).isEqualTo(4);
      assertThatThrownBy(() -> child.ask(new Halve(3)))
          .hasMessage("Halve[number=3] failed: java.lang.IllegalArgumentException: 3 is odd");
      assertThat(child.ask(new Halve(8))).isEqualTo(12);
    }
  }

  private static void measure(Context context, Rounds rounds) {
    rounds.ofSystems("");
    for (int figure : new int[] {5, 0, context.rounds(7)}) {
      String jvm = System.getProperty("bench.test", "");
      rounds.record("line", jvm, "x", figure, Map.of());
    }
  }

  @Test
  void shouldMeasureInAJvmOfItsOwnWithTheOptionsThatWereTyped(@TempDir Path directory) {
    Suite.Benchmark one = new Suite.Benchmark("one", "t", "a figure", ChildJvmTest::measure);
    Suite suite =
        new Suite("typed", "typed", List.of(), new Suite.Jvm(true, "128m", 1), List.of(one));
    StringWriter out = new StringWriter();
    CommandLine command = BenchmarkCommand.of(suite).setOut(new PrintWriter(out, true));
    String[] arguments = {
      "--jvm=-Dbench.test=child", "--rounds", "9", "--directory", directory.toString()
    };
    assertThat(command.execute(arguments)).isZero();
    assertThat(out.toString()).contains("| line | child | 5.00 | 0–9.00 |");
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void shouldSayThatTheJvmHasEnded() throws Exception {
    try (ChildJvm child = new ChildJvm(List.of("-Xmx128m"))) {
      child.kill();
      assertThatThrownBy(() -> child.ask(new Halve(8)))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("its JVM has ended");
    }
  }
}
