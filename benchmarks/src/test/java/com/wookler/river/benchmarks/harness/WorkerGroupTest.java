package com.wookler.river.benchmarks.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class WorkerGroupTest {
  private final WorkerGroup workers = new WorkerGroup();

  @Test
  void shouldCountWhatEachDid() throws Exception {
    workers.add("ONE", timer -> work(timer, 1));
    workers.add("TWO", timer -> work(timer, 2));

    WorkerGroup.Effort effort = workers.work();

    assertThat(effort.counts()).containsExactly(1L, 2L);
    assertThat(effort.total()).isEqualTo(3);
    assertThat(effort.nanos()).isPositive();
  }

  private static long work(WorkerGroup.Timer timer, long count) throws Exception {
    timer.begin();
    timer.end();
    return count;
  }

  @Test
  void shouldNotWaitForWhoNeverComes() {
    workers.add("READY", timer -> work(timer, 1));
    workers.add(
        "BROKEN",
        timer -> {
          throw new IllegalStateException("no queue");
        });

    assertThatThrownBy(workers::work).hasMessage("no queue");
  }

  @Test
  void shouldInterruptTheOthersWhenOneFails() {
    workers.add(
        "STUCK",
        timer -> {
          timer.begin();
          new CountDownLatch(1).await();
          return 0;
        });
    workers.add(
        "BROKEN",
        timer -> {
          timer.begin();
          throw new IllegalStateException("wrong count");
        });

    assertThatThrownBy(workers::work).hasMessage("wrong count");
  }
}
