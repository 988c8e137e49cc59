package com.wookler.river.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class LatencyCommandTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... args) {
    return Main.run(new PrintWriter(out), new PrintWriter(err), args);
  }

  @Test
  void shouldMeasureEveryMessage() {
    assertThat(run("latency", "--rate", "2000", "--seconds", "1", "--size", "100")).isZero();
    assertThat(out.toString())
        .contains("2,000 messages of 100 bytes at 2,000/s")
        .containsPattern("publish +p50 [0-9.]+ +p99 [0-9.]+")
        .containsPattern("publish to next +p50 [0-9.]+");
  }

  @Test
  void shouldRefuseWhatCannotBeMeasured() {
    assertThat(run("latency", "--rate", "0")).isEqualTo(2);
    assertThat(err.toString()).contains("--rate");
  }

  @Test
  void shouldTellPercentiles() {
    LatencyRecorder latencies = new LatencyRecorder(100);
    for (int i = 100; i > 0; i--) {
      latencies.add(i * 1_000L);
    }
    assertThat(latencies.percentile(0.5)).isEqualTo(51_000);
    assertThat(latencies.percentile(1)).isEqualTo(100_000);
    assertThat(latencies).hasToString("p50 51.0  p99 100.0  p99.9 100.0  p99.99 100.0  max 100.0");
  }
}
