package com.wookler.river.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** A task manager without threads, and a pool of which a test waits until it is idle. */
class SteppedTasksTest {
  private final ManualTimeSource time = new ManualTimeSource(Instant.EPOCH);
  private final List<String> steps = new ArrayList<>();

  private final class Task implements ManagedTask {
    private final String name;
    private int more;

    Task(String name, int more) {
      this.name = name;
      this.more = more;
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public Duration interval() {
      return Duration.ofMillis(100);
    }

    @Override
    public Duration quiet() {
      return Duration.ofHours(name.length());
    }

    @Override
    public boolean step() {
      steps.add(name);
      return --more > 0;
    }
  }

  @Test
  void shouldStepTasksInTheirOrderOnThisThread() {
    try (TaskManager tasks = TaskManager.stepped("test", time)) {
      Task removed = new Task("removed", 1);
      tasks.add(new Task("first", 2));
      tasks.add(removed);
      tasks.add(new Task("second", 1));
      assertThat(steps).isEmpty();

      tasks.stepAll();
      tasks.remove(removed);
      tasks.stepAll();

      assertThat(steps).containsExactly("first", "first", "removed", "second", "first", "second");
      assertThat(tasks.nanosUntilDue()).isEqualTo(Duration.ofHours(5).toNanos());
    }
  }

  @Test
  void shouldWaitUntilAPoolIsIdle() {
    WorkerPool pool = WorkerPool.acquire("idle-test", 2);
    try {
      assertThat(pool.awaitIdle()).isFalse();
      CountDownLatch begun = new CountDownLatch(1);
      WorkerPool.Serial serial = pool.serial("test");
      serial.execute(begun::countDown);
      serial.execute(() -> serial.execute(() -> steps.add("last")));

      pool.awaitIdle();

      assertThat(steps).containsExactly("last");
      assertThat(begun.getCount()).isZero();
    } finally {
      pool.release();
    }
  }
}
