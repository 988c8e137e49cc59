package com.wookler.river.benchmarks.harness;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class MachineLoadTest {
  @Test
  void shouldBeQuietOnlyIfNothingElseRuns() {
    assertThat(new MachineLoad(0.99, 0.1).quiet()).isTrue();
    assertThat(new MachineLoad(0.8, 0.1).quiet()).isFalse();
    assertThat(new MachineLoad(0.99, 1_000).quiet()).isFalse();
    assertThat(new MachineLoad(Double.NaN, 0.1).quiet()).isFalse(); // nothing is known
  }

  @Test
  void shouldSeeWhatThisProcessDoes() throws Exception {
    int cores = Runtime.getRuntime().availableProcessors();
    WorkerGroup group = new WorkerGroup();
    AtomicBoolean end = new AtomicBoolean();
    AtomicReference<MachineLoad> seen = new AtomicReference<>();
    for (int i = 0; i < cores; i++) {
      group.addBody(
          "BUSY-" + i,
          () -> {
            while (!end.get()) {
              Thread.onSpinWait();
            }
          });
    }
    group.addBody(
        "WATCH",
        () -> {
          seen.set(MachineLoad.measure(Duration.ofMillis(300)));
          end.set(true);
        });
    group.work();
    assertThat(seen.get().idle()).isBetween(0.0, 0.5);
  }

  @Test
  void shouldSayWhatItSaw() throws IOException {
    assertThat(new MachineLoad(0.987, 0.125)).hasToString("99 % idle and load average 0.13 before");
    assertThat(MachineLoad.measure(Duration.ofMillis(50)).idle()).isBetween(0.0, 1.0);
  }
}
