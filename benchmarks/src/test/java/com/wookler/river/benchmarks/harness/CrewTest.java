package com.wookler.river.benchmarks.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class CrewTest {
  private final Crew crew = new Crew();

  @Test
  void shouldCountWhatEachDid() throws Exception {
    crew.add("ONE", shift -> work(shift, 1));
    crew.add("TWO", shift -> work(shift, 2));

    Crew.Effort effort = crew.work();

    assertThat(effort.counts()).containsExactly(1L, 2L);
    assertThat(effort.total()).isEqualTo(3);
    assertThat(effort.nanos()).isPositive();
  }

  private static long work(Crew.Shift shift, long count) throws Exception {
    shift.begin();
    shift.end();
    return count;
  }

  @Test
  void shouldNotWaitForWhoNeverComes() {
    crew.add("READY", shift -> work(shift, 1));
    crew.add(
        "BROKEN",
        shift -> {
          throw new IllegalStateException("no queue");
        });

    assertThatThrownBy(crew::work).hasMessage("no queue");
  }

  @Test
  void shouldInterruptTheOthersWhenOneFails() {
    crew.add(
        "STUCK",
        shift -> {
          shift.begin();
          new CountDownLatch(1).await();
          return 0;
        });
    crew.add(
        "BROKEN",
        shift -> {
          shift.begin();
          throw new IllegalStateException("wrong count");
        });

    assertThatThrownBy(crew::work).hasMessage("wrong count");
  }
}
