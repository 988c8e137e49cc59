package com.wookler.river.common;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class WorkerPoolTest {
  @Test
  void shouldRunTheTasksOfALineInOrderOneAtATime() {
    WorkerPool pool = WorkerPool.acquire("test", 4);
    try {
      WorkerPool.Serial serial = pool.serial("queue");
      // Without synchronisation: the line has to hand it from thread to thread.
      List<Integer> order = new ArrayList<>();
      for (int i = 0; i < 10_000; i++) {
        int number = i;
        serial.execute(() -> order.add(number));
      }
      serial.drain();

      assertThat(order).containsExactlyElementsOf(IntStream.range(0, 10_000).boxed().toList());
    } finally {
      pool.release();
    }
  }

  /**
   * On Java 17 its error comes late: within the pool's lock, if the task does not enter the JVM.
   */
  @Test
  void shouldGoOnAfterATaskThatStoredIntoAPageThatItsFileHasNoMore(@TempDir Path directory)
      throws IOException {
    WorkerPool pool = WorkerPool.acquire("test", 1);
    try {
      WorkerPool.Serial serial = pool.serial("queue");
      MappedByteBuffer compiled = mapped(directory.resolve("compiled"));
      serial.execute(() -> IntStream.range(0, 100_000).forEach(i -> store(compiled)));
      serial.drain();
      for (int i = 0; i < 20; i++) {
        Path file = directory.resolve("cut" + i);
        MappedByteBuffer cut = mapped(file);
        Files.write(file, new byte[0]);
        serial.execute(() -> store(cut));
        serial.drain();
      }
    } finally {
      pool.release();
    }
  }

  private static MappedByteBuffer mapped(Path file) throws IOException {
    try (FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      return channel.map(FileChannel.MapMode.READ_WRITE, 0, 4096);
    }
  }

  private static void store(MappedByteBuffer into) {
    into.put(0, (byte) 1);
  }

  @Test
  void shouldLetLinesTakeTurns() throws InterruptedException {
    WorkerPool pool = WorkerPool.acquire("test", 1);
    try {
      CountDownLatch gate = new CountDownLatch(1);
      List<String> order = new CopyOnWriteArrayList<>();
      WorkerPool.Serial a = pool.serial("a");
      WorkerPool.Serial b = pool.serial("b");
      a.execute(() -> awaitQuietly(gate));
      for (int i = 0; i < 3; i++) {
        a.execute(() -> order.add("a"));
        b.execute(() -> order.add("b"));
      }
      gate.countDown();
      a.drain();
      b.drain();

      assertThat(order).containsExactly("b", "a", "b", "a", "b", "a");
    } finally {
      pool.release();
    }
  }

  @Test
  void shouldRunLinesAtTheSameTime() {
    WorkerPool pool = WorkerPool.acquire("test", 2);
    try {
      CountDownLatch both = new CountDownLatch(2);
      for (String owner : List.of("a", "b")) {
        pool.serial(owner)
            .execute(
                () -> {
                  both.countDown();
                  awaitQuietly(both);
                });
      }

      await().until(() -> both.getCount() == 0);
    } finally {
      pool.release();
    }
  }

  @Test
  void shouldShareOnePoolAName() {
    WorkerPool one = WorkerPool.acquire("shared", 1);
    WorkerPool other = WorkerPool.acquire("shared", 5);
    Set<Thread> threads = ConcurrentHashMap.newKeySet();
    for (WorkerPool pool : List.of(one, other)) {
      WorkerPool.Serial serial = pool.serial("x");
      serial.execute(() -> threads.add(Thread.currentThread()));
      serial.drain();
    }
    assertThat(threads).hasSize(1);
    Thread thread = threads.iterator().next();
    assertThat(thread).isInstanceOf(MonitoredThread.class);

    one.release();
    one.release();
    assertThat(thread.isAlive()).isTrue();
    other.release();
    assertThat(thread.isAlive()).isFalse();
  }

  @Test
  void shouldStartAnewAfterTheLastRelease() {
    for (int round = 0; round < 20; round++) {
      Set<MonitoredThread> before = Set.copyOf(MonitoredThread.running());
      WorkerPool pool = WorkerPool.acquire("rounds", 2);
      AtomicInteger ran = new AtomicInteger();
      WorkerPool.Serial serial = pool.serial("x");
      for (int i = 0; i < 100; i++) {
        serial.execute(ran::incrementAndGet);
      }
      pool.release();

      assertThat(ran).hasValue(100);
      assertThat(MonitoredThread.running()).isSubsetOf(before);
    }
  }

  @Test
  void shouldGoOnAfterATaskThatThrows() {
    WorkerPool pool = WorkerPool.acquire("test", 1);
    try {
      WorkerPool.Serial serial = pool.serial("x");
      AtomicBoolean ran = new AtomicBoolean();
      serial.execute(
          () -> {
            throw new IllegalStateException("on purpose");
          });
      serial.execute(
          () -> {
            throw new StackOverflowError("on purpose");
          });
      serial.execute(() -> ran.set(true));
      serial.drain();

      assertThat(ran).isTrue();
    } finally {
      pool.release();
    }
  }

  @Test
  void shouldDrainThroughAnInterruptAndKeepIt() throws InterruptedException {
    WorkerPool pool = WorkerPool.acquire("test", 1);
    CountDownLatch gate = new CountDownLatch(1);
    AtomicBoolean ran = new AtomicBoolean();
    WorkerPool.Serial serial = pool.serial("x");
    serial.execute(() -> awaitQuietly(gate));
    serial.execute(() -> ran.set(true));
    AtomicBoolean kept = new AtomicBoolean();
    AtomicBoolean ranBefore = new AtomicBoolean();
    MonitoredThread drainer =
        new MonitoredThread(
            "drainer",
            () -> {
              serial.drain();
              ranBefore.set(ran.get());
              kept.set(Thread.interrupted());
            });
    drainer.start();
    await().until(() -> drainer.getState() == Thread.State.WAITING);
    drainer.interrupt();
    gate.countDown();
    drainer.join();
    pool.release();

    assertThat(ranBefore).isTrue();
    assertThat(kept).isTrue();
  }

  @Test
  void shouldNotPassAnInterruptOnToTheNextTask() {
    WorkerPool pool = WorkerPool.acquire("test", 1);
    try {
      WorkerPool.Serial serial = pool.serial("x");
      AtomicBoolean interrupted = new AtomicBoolean();
      serial.execute(() -> Thread.currentThread().interrupt());
      serial.execute(() -> interrupted.set(Thread.currentThread().isInterrupted()));
      serial.drain();

      assertThat(interrupted).isFalse();
    } finally {
      pool.release();
    }
  }

  @Test
  void shouldRefuseTasksAfterRelease() {
    WorkerPool keeper = WorkerPool.acquire("test", 1);
    WorkerPool pool = WorkerPool.acquire("test", 1);
    WorkerPool.Serial serial = pool.serial("x");
    pool.release();

    assertThatThrownBy(() -> serial.execute(() -> {}))
        .isInstanceOf(RejectedExecutionException.class)
        .hasMessageContaining("'x'");
    serial.drain();
    keeper.release();
    assertThatThrownBy(() -> serial.execute(() -> {}))
        .isInstanceOf(RejectedExecutionException.class);
    serial.drain();
  }

  @Test
  void shouldNotWaitForItself() {
    WorkerPool pool = WorkerPool.acquire("test", 1);
    WorkerPool.Serial serial = pool.serial("x");
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    CountDownLatch released = new CountDownLatch(1);
    serial.execute(
        () -> {
          try {
            serial.drain();
          } catch (IllegalStateException e) {
            thrown.set(e);
          }
          pool.release();
          released.countDown();
        });
    awaitQuietly(released);

    assertThat(thrown.get()).hasMessageContaining("own pool");
  }

  @Test
  void shouldRefuseAPoolWithoutThreads() {
    assertThatThrownBy(() -> WorkerPool.acquire("none", 0))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
