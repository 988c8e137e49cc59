package com.wookler.river.benchmarks.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.wookler.river.benchmarks.report.Row;
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
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

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
      assertThat(child.ask(new Halve(8), Integer.class)).isEqualTo(4);
      assertThatThrownBy(() -> child.ask(new Halve(3), Integer.class))
          .hasMessage("Halve[number=3] failed: java.lang.IllegalArgumentException: 3 is odd");
      assertThat(child.ask(new Halve(8), Integer.class)).isEqualTo(12);
    }
  }

  /** Measures what its option says, in a JVM of its own. */
  @Command(name = "typed")
  public static final class Typed extends BenchmarkCommand {
    @Option(names = "--figure")
    private double figure;

    @Override
    protected List<Benchmark> benchmarks() {
      return List.of(new Benchmark("one", "a figure", context -> List.of(row(context))));
    }

    private Row row(Context context) {
      String jvm = System.getProperty("bench.test", "");
      double rounds = context.rounds(7);
      return new Row("t", "line", jvm, "x", figure, 0, rounds, null, Map.of(), "");
    }

    @Override
    protected List<String> jvm() {
      return List.of("-Xmx128m", "-Dbench.test=child");
    }
  }

  @Test
  void shouldMeasureInAJvmOfItsOwnWithTheOptionsThatWereTyped(@TempDir Path directory) {
    StringWriter out = new StringWriter();
    CommandLine command = new CommandLine(new Typed()).setOut(new PrintWriter(out, true));
    String[] arguments = {"--figure", "5", "--rounds", "9", "--directory", "" + directory};
    assertThat(command.execute(arguments)).isZero();
    assertThat(out.toString()).contains("| line | child | 5.00 | 0–9.00 |");
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void shouldSayThatTheJvmHasEnded() throws Exception {
    try (ChildJvm child = new ChildJvm(List.of("-Xmx128m"))) {
      child.kill();
      assertThatThrownBy(() -> child.ask(new Halve(8), Integer.class))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("its JVM has ended");
    }
  }
}
