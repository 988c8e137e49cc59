package com.wookler.river.benchmarks.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

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
