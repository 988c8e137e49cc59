package com.wookler.river.common.utils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ParallelWorkTest {
  private static final List<Integer> ITEMS = IntStream.range(0, 200).boxed().toList();

  @Test
  void shouldDoEachOnce() {
    AtomicInteger[] done = new AtomicInteger[ITEMS.size()];
    ITEMS.forEach(item -> done[item] = new AtomicInteger());
    ParallelWork.forEach("test", ITEMS, item -> done[item].incrementAndGet());
    assertThat(done).allMatch(count -> count.get() == 1);
    ParallelWork.forEach("test", List.<Integer>of(), item -> done[item].incrementAndGet());
  }

  @Test
  void shouldUseSeveralThreadsAfterTheFirst() {
    assumeThat(Runtime.getRuntime().availableProcessors()).isGreaterThan(1);
    AtomicInteger done = new AtomicInteger();
    CountDownLatch both = new CountDownLatch(2);
    Set<Thread> threads = ConcurrentHashMap.newKeySet();
    ParallelWork.forEach(
        "test",
        List.of(0, 1, 2),
        item -> {
          assertThat(done.get() > 0).isEqualTo(item > 0);
          if (item > 0) {
            threads.add(Thread.currentThread());
            both.countDown();
            await(both); // for the other one, which only another thread can do now
          }
          done.incrementAndGet();
        });
    assertThat(threads).hasSize(2).contains(Thread.currentThread());
    assertThat(threads).allMatch(thread -> thread == Thread.currentThread() || !thread.isAlive());
  }

  @Test
  void shouldThrowTheFailureOfTheFirst() {
    assertThatThrownBy(
            () ->
                ParallelWork.forEach(
                    "test",
                    List.of(0),
                    item -> {
                      throw new IllegalStateException("item " + item);
                    }))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("item 0");
    assertThatThrownBy(
            () ->
                ParallelWork.forEach(
                    "test",
                    ITEMS,
                    item -> {
                      throw new AssertionError("item " + item);
                    }))
        .isInstanceOf(AssertionError.class)
        .hasMessage("item 0");
  }

  @Test
  void shouldBeginNothingAfterAFailure() {
    assertThat(begun(0)).isEqualTo(1);
    assertThat(begun(1)).isBetween(2, 1 + Runtime.getRuntime().availableProcessors());
  }

  /** Returns how many were begun where all fail from this one on. */
  private static int begun(int failing) {
    AtomicInteger begun = new AtomicInteger();
    assertThatThrownBy(
            () ->
                ParallelWork.forEach(
                    "test",
                    ITEMS,
                    item -> {
                      begun.incrementAndGet();
                      if (item >= failing) {
                        throw new IllegalStateException("item " + item);
                      }
                    }))
        .isInstanceOf(IllegalStateException.class);
    return begun.get();
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
