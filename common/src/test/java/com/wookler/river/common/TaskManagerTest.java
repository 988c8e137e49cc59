package com.wookler.river.common;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.errors.RiverException;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class TaskManagerTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final ManualTimeSource time = new ManualTimeSource(Instant.parse("2026-01-01T00:00:00Z"));
  private final List<TaskManager> managers = new CopyOnWriteArrayList<>();

  @AfterEach
  void closeManagers() {
    managers.forEach(TaskManager::close);
  }

  @Test
  void shouldRunAtOnceAndThenOnceAnInterval() {
    TaskManager manager = manager(1);
    Task task = new Task("a", Duration.ofMinutes(1));
    manager.add(task);
    task.awaitSteps(1);

    advance(manager, Duration.ofSeconds(59));
    assertNoFurtherStep(manager, task);
    advance(manager, SECOND);
    task.awaitSteps(2);
    advance(manager, Duration.ofMinutes(10));
    task.awaitSteps(3);
    assertNoFurtherStep(manager, task);
  }

  @Test
  void shouldTakeAnIntervalThatNoLongHasForForEver() {
    TaskManager manager = manager(1);
    Task task = new Task("a", Duration.ofSeconds(Long.MAX_VALUE));
    manager.add(task);
    task.awaitSteps(1);

    advance(manager, Duration.ofDays(36_500));

    assertNoFurtherStep(manager, task);
    assertThat(manager.failures()).isZero();
  }

  @Test
  void shouldNameItsThreadsByPoolAndNumber() {
    Set<String> names = ConcurrentHashMap.newKeySet();
    CountDownLatch both = new CountDownLatch(2);
    TaskManager manager = manager(2);
    for (String name : List.of("a", "b")) {
      manager.add(
          new Task(name, SECOND) {
            @Override
            public boolean work() throws InterruptedException {
              names.add(Thread.currentThread().getName());
              assertThat(Thread.currentThread()).isInstanceOf(MonitoredThread.class);
              both.countDown();
              both.await();
              return false;
            }
          });
    }

    await().until(() -> names.size() == 2);
    assertThat(names).allMatch(name -> name.matches("POOL-\\d+-TaskManager-THREAD-[12]"));
  }

  @Test
  void shouldGoOnAfterExceptionsAndErrors() {
    TaskManager manager = manager(1);
    Task healthy = new Task("healthy", SECOND);
    for (Throwable thrown :
        List.of(
            new IllegalStateException("on purpose"),
            new IOException("on purpose"),
            new StackOverflowError("on purpose"),
            new NoClassDefFoundError("on purpose"),
            new InterruptedException("on purpose"))) {
      manager.add(
          new Task(thrown.toString(), SECOND) {
            @Override
            boolean work() throws Exception {
              throw unchanged(thrown);
            }
          });
    }
    manager.add(healthy);

    healthy.awaitSteps(1);
    await().until(() -> manager.failures() == 5);
    advance(manager, SECOND);
    healthy.awaitSteps(2);
    await().until(() -> manager.failures() == 10);
  }

  @Test
  void shouldRetryAFailingTaskEverMoreSeldom() {
    TaskManager manager = manager(1);
    AtomicInteger failing = new AtomicInteger(8);
    Task task =
        new Task("a", Duration.ofMillis(10)) {
          @Override
          boolean work() {
            if (failing.getAndDecrement() > 0) {
              throw new IllegalStateException("on purpose");
            }
            return false;
          }
        };
    manager.add(task);

    int steps = 1;
    for (int seconds : List.of(1, 2, 4, 8, 16, 32, 60, 60)) {
      task.awaitSteps(steps);
      // Not even waking it hurries a task that failed.
      manager.wake(task);
      advance(manager, Duration.ofSeconds(seconds).minusNanos(1));
      assertNoFurtherStep(manager, task);
      advance(manager, Duration.ofNanos(1));
      steps++;
    }
    task.awaitSteps(9);
    assertThat(manager.failures()).isEqualTo(8);
    // Well again, it is back at its interval.
    advance(manager, Duration.ofMillis(10));
    task.awaitSteps(10);
  }

  @Test
  void shouldStartTheBackoffAnewAfterASuccess() {
    TaskManager manager = manager(1);
    Task task =
        new Task("a", SECOND) {
          @Override
          boolean work() {
            if (steps() % 2 == 0) {
              throw new IllegalStateException("on purpose");
            }
            return false;
          }
        };
    manager.add(task);

    for (int step = 1; step <= 10; step++) {
      task.awaitSteps(step);
      advance(manager, SECOND);
    }
    await().until(() -> manager.failures() == 5);
  }

  @Test
  void shouldCountAFailingIntervalAsAFailedStep() {
    TaskManager manager = manager(1);
    manager.add(
        new Task("a", SECOND) {
          @Override
          public Duration interval() {
            throw new IllegalStateException("on purpose");
          }
        });
    Task other = new Task("b", SECOND);
    manager.add(other);

    other.awaitSteps(1);
    await().until(() -> manager.failures() == 1);
  }

  @Test
  void shouldLetATaskWithMoreToDoWaitForTheOthers() {
    TaskManager manager = manager(1);
    CountDownLatch all = new CountDownLatch(1);
    List<String> order = new CopyOnWriteArrayList<>();
    manager.add(
        new Task("gate", Duration.ofDays(1)) {
          @Override
          boolean work() throws InterruptedException {
            all.await();
            return false;
          }
        });
    for (String name : List.of("a", "b", "c")) {
      manager.add(
          new Task(name, Duration.ofDays(1)) {
            @Override
            boolean work() {
              order.add(name);
              return steps() < 3;
            }
          });
    }
    all.countDown();

    await().until(() -> order.size() == 9);
    assertThat(order).containsExactly("a", "b", "c", "a", "b", "c", "a", "b", "c");
  }

  @Test
  void shouldNotLetABusyTaskStarveOneThatBecomesDue() {
    TaskManager manager = manager(1);
    manager.add(
        new Task("busy", SECOND) {
          @Override
          boolean work() {
            time.advance(Duration.ofMillis(1));
            return true;
          }
        });
    Task patient = new Task("patient", Duration.ofMillis(100));
    manager.add(patient);

    patient.awaitSteps(5);
  }

  @Test
  void shouldRunAtMostAsManyStepsAtOnceAsThePoolHasThreads() {
    TaskManager manager = manager(3);
    AtomicInteger running = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    CountDownLatch three = new CountDownLatch(3);
    AtomicInteger steps = new AtomicInteger();
    for (int i = 0; i < 10; i++) {
      manager.add(
          new Task("t" + i, SECOND) {
            @Override
            boolean work() throws InterruptedException {
              most.accumulateAndGet(running.incrementAndGet(), Math::max);
              three.countDown();
              three.await();
              running.decrementAndGet();
              steps.incrementAndGet();
              return false;
            }
          });
    }

    await().until(() -> steps.get() == 10);
    assertThat(most).hasValue(3);
  }

  @Test
  void shouldServeOthersWhileOneTaskBlocks() {
    TaskManager manager = manager(2);
    CountDownLatch gate = new CountDownLatch(1);
    Task blocked = blocking("blocked", gate);
    manager.add(blocked);
    blocked.awaitSteps(1);
    Task other = new Task("other", SECOND);
    manager.add(other);

    for (int step = 1; step <= 3; step++) {
      other.awaitSteps(step);
      advance(manager, SECOND);
    }
    assertThat(blocked.steps()).isEqualTo(1);
    gate.countDown();
  }

  @Test
  void shouldRunOneStepOfATaskAtATime() {
    TaskManager manager = manager(4);
    AtomicInteger running = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    Task task =
        new Task("a", Duration.ZERO) {
          @Override
          boolean work() {
            most.accumulateAndGet(running.incrementAndGet(), Math::max);
            Thread.onSpinWait();
            running.decrementAndGet();
            return true;
          }
        };
    manager.add(task);
    await()
        .until(
            () -> {
              manager.wake(task);
              return task.steps() > 1_000;
            });

    assertThat(most).hasValue(1);
  }

  @Test
  void shouldRunAWokenTaskSoon() {
    TaskManager manager = manager(1);
    Task task = new Task("a", Duration.ofDays(1));
    manager.add(task);

    for (int step = 1; step <= 5; step++) {
      task.awaitSteps(step);
      manager.wake(task);
    }
    manager.wake(new Task("unknown", SECOND));
  }

  @Test
  void shouldRunAgainWhenWokenDuringItsStep() {
    TaskManager manager = manager(1);
    AtomicInteger wakes = new AtomicInteger(3);
    Task task =
        new Task("a", Duration.ofDays(1)) {
          @Override
          boolean work() {
            if (wakes.getAndDecrement() > 0) {
              manager.wake(this);
            }
            return false;
          }
        };
    manager.add(task);

    task.awaitSteps(4);
    assertNoFurtherStep(manager, task);
  }

  @Test
  void shouldNeverMissAWake() {
    TaskManager manager = new TaskManager("test", 2, TimeSource.system());
    managers.add(manager);
    AtomicInteger wanted = new AtomicInteger();
    AtomicInteger seen = new AtomicInteger();
    Task task =
        new Task("a", Duration.ofDays(1)) {
          @Override
          boolean work() {
            seen.set(wanted.get());
            return false;
          }
        };
    manager.add(task);

    for (int i = 1; i <= 5_000; i++) {
      wanted.set(i);
      manager.wake(task);
      int now = i;
      if (i % 3 == 0) {
        while (seen.get() < now) {
          Thread.onSpinWait();
        }
      }
    }
    await().until(() -> seen.get() == 5_000);
  }

  @Test
  void shouldWaitForTheRunningStepWhenRemoving() throws Exception {
    TaskManager manager = manager(1);
    CountDownLatch gate = new CountDownLatch(1);
    Task task = blocking("a", gate);
    manager.add(task);
    task.awaitSteps(1);
    AtomicReference<Integer> endedAtReturn = new AtomicReference<>();
    MonitoredThread remover =
        new MonitoredThread(
            "remover",
            () -> {
              manager.remove(task);
              endedAtReturn.set(task.ended.get());
            });
    remover.start();
    await().until(() -> remover.getState() == Thread.State.WAITING);
    remover.interrupt();
    gate.countDown();
    remover.join();

    assertThat(endedAtReturn).hasValue(1);
    advance(manager, Duration.ofDays(2));
    assertNoFurtherStep(manager, task);
  }

  @Test
  void shouldRemoveATaskThatWaitsAndTakeItBack() {
    TaskManager manager = manager(1);
    Task task = new Task("a", SECOND);
    manager.add(task);
    task.awaitSteps(1);

    manager.remove(task);
    manager.remove(task);
    advance(manager, SECOND);
    assertNoFurtherStep(manager, task);
    manager.add(task);
    task.awaitSteps(2);
  }

  @Test
  void shouldNotWaitForItselfWhenATaskRemovesItself() {
    TaskManager manager = manager(1);
    Task task =
        new Task("a", Duration.ZERO) {
          @Override
          boolean work() {
            manager.remove(this);
            return true;
          }
        };
    manager.add(task);

    task.awaitSteps(1);
    assertNoFurtherStep(manager, task);
    manager.remove(task);
    manager.add(task);
    task.awaitSteps(2);
  }

  @Test
  void shouldAddTasksFromInsideAStep() {
    TaskManager manager = manager(1);
    Task second = new Task("second", SECOND);
    manager.add(
        new Task("first", SECOND) {
          @Override
          boolean work() {
            if (steps() == 1) {
              manager.add(second);
            }
            return false;
          }
        });

    second.awaitSteps(1);
  }

  @Test
  void shouldTakeAndGiveBackTasksWhileOthersRun() throws InterruptedException {
    TaskManager manager = new TaskManager("test", 2, TimeSource.system());
    managers.add(manager);
    List<MonitoredThread> threads = new CopyOnWriteArrayList<>();
    AtomicInteger afterRemoval = new AtomicInteger();
    for (int t = 0; t < 4; t++) {
      threads.add(
          new MonitoredThread(
              "adder-" + t,
              () -> {
                for (int i = 0; i < 200; i++) {
                  Task task = new Task("t", Duration.ZERO);
                  manager.add(task);
                  task.awaitSteps(1);
                  manager.remove(task);
                  int steps = task.steps();
                  Thread.onSpinWait();
                  afterRemoval.addAndGet(task.steps() - steps);
                }
              }));
    }
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      thread.join();
    }

    assertThat(afterRemoval).hasValue(0);
    assertThat(manager.failures()).isZero();
  }

  @Test
  void shouldRefuseATaskTwiceAndAfterClose() {
    TaskManager manager = manager(1);
    Task task = new Task("a", SECOND);
    manager.add(task);

    assertThatThrownBy(() -> manager.add(task))
        .isInstanceOf(RiverException.class)
        .hasMessageContaining("'a'")
        .hasMessageContaining("'test'");
    manager.close();
    assertThatThrownBy(() -> manager.add(new Task("b", SECOND)))
        .isInstanceOf(RiverException.class)
        .hasMessageContaining("closed");
    assertThatThrownBy(() -> new TaskManager("none", 0, time))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void shouldEndAllThreadsAndRunNothingAfterClose() {
    Set<MonitoredThread> before = Set.copyOf(MonitoredThread.running());
    TaskManager manager = manager(4);
    Task task =
        new Task("a", Duration.ZERO) {
          @Override
          boolean work() {
            return true;
          }
        };
    manager.add(task);
    task.awaitSteps(10);

    manager.close();

    int steps = task.steps();
    assertThat(MonitoredThread.running()).isSubsetOf(before);
    manager.wake(task);
    manager.remove(task);
    manager.close();
    assertThat(task.steps()).isEqualTo(steps);
  }

  @Test
  void shouldCloseFromInsideAStep() {
    TaskManager manager = manager(2);
    CountDownLatch closed = new CountDownLatch(1);
    manager.add(
        new Task("a", SECOND) {
          @Override
          boolean work() {
            manager.close();
            closed.countDown();
            return false;
          }
        });

    assertThatCode(closed::await).doesNotThrowAnyException();
    manager.close();
  }

  @Test
  void shouldNotBeDisturbedByAnInterruptLeftBehind() {
    TaskManager manager = manager(1);
    manager.add(
        new Task("rude", SECOND) {
          @Override
          boolean work() {
            Thread.currentThread().interrupt();
            return false;
          }
        });
    AtomicInteger interrupted = new AtomicInteger();
    Task task =
        new Task("a", SECOND) {
          @Override
          boolean work() {
            interrupted.addAndGet(Thread.currentThread().isInterrupted() ? 1 : 0);
            return false;
          }
        };
    manager.add(task);

    task.awaitSteps(1);
    advance(manager, SECOND);
    task.awaitSteps(2);
    assertThat(interrupted).hasValue(0);
  }

  private TaskManager manager(int poolSize) {
    TaskManager manager = new TaskManager("test", poolSize, time);
    managers.add(manager);
    return manager;
  }

  /**
   * Moves the time once the steps that were due are over; for managers with one thread that is
   * free.
   */
  private void advance(TaskManager manager, Duration step) {
    Task probe = new Task("probe", Duration.ofDays(1));
    manager.add(probe);
    probe.awaitSteps(1);
    manager.remove(probe);
    time.advance(step);
  }

  /** A task added after has run twice, and {@code task} has not: so it was not due. */
  private static void assertNoFurtherStep(TaskManager manager, Task task) {
    int steps = task.steps();
    Task probe = new Task("probe", Duration.ofDays(1));
    manager.add(probe);
    probe.awaitSteps(1);
    manager.wake(probe);
    probe.awaitSteps(2);
    manager.remove(probe);
    assertThat(task.steps()).isEqualTo(steps);
  }

  private static Task blocking(String name, CountDownLatch gate) {
    return new Task(name, Duration.ofDays(1)) {
      @Override
      boolean work() throws InterruptedException {
        gate.await();
        return false;
      }
    };
  }

  private static Exception unchanged(Throwable thrown) {
    if (thrown instanceof Exception exception) {
      return exception;
    }
    throw (Error) thrown;
  }

  private static class Task implements ManagedTask {
    final AtomicInteger ended = new AtomicInteger();
    private final AtomicInteger started = new AtomicInteger();
    private final String name;
    private final Duration interval;

    Task(String name, Duration interval) {
      this.name = name;
      this.interval = interval;
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public Duration interval() {
      return interval;
    }

    @Override
    public boolean step() throws Exception {
      started.incrementAndGet();
      boolean more = work();
      ended.incrementAndGet();
      return more;
    }

    boolean work() throws Exception {
      return false;
    }

    int steps() {
      return started.get();
    }

    void awaitSteps(int count) {
      Callable<Boolean> there = () -> started.get() >= count;
      await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(1)).until(there);
    }
  }
}
