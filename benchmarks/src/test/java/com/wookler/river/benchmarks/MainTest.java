package com.wookler.river.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class MainTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... args) {
    return Main.run(new PrintWriter(out, true), new PrintWriter(err, true), args);
  }

  @Test
  void shouldPrintItsUsageWithoutArguments() {
    assertThat(run()).isZero();
    assertThat(out.toString()).contains("Usage: river bench");
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void shouldRefuseWhatItDoesNotKnow() {
    assertThat(run("--no-such")).isEqualTo(2);
    assertThat(err.toString().lines()).hasSize(1);
  }

  @Test
  void shouldRefuseASystemThatItDoesNotKnow() {
    assertThat(run("run", "--quick", "--systems", "nosuch")).isEqualTo(2);
    assertThat(err.toString()).contains("no system 'nosuch'; there are [river, ");
    assertThat(err.toString().lines()).hasSize(1);
  }
}
