package com.wookler.river.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.Test;

class CompletionsTest {
  private final Queue<Runnable> taken = new ArrayDeque<>();
  private final List<Integer> completed = new ArrayList<>();
  private boolean noMemory;

  private final Completions completions =
      new Completions(
          task -> {
            taken.add(task);
            if (noMemory) {
              throw new OutOfMemoryError("unable to create native thread");
            }
          });

  @Test
  void shouldGoOnWhenTheExecutorTookWhatItRefused() {
    noMemory = true;
    completions.add(
        () -> {
          taken.remove().run(); // a thread of the pool comes to it meanwhile
          completed.add(1);
        });
    noMemory = false;
    assertThat(completed).containsExactly(1);
    completions.add(() -> completed.add(2));
    completions.add(() -> completed.add(3));
    taken.forEach(Runnable::run);
    assertThat(completed).containsExactly(1, 2, 3);
  }

  @Test
  void shouldCompleteInOrderWhatComesWhileItRuns() {
    completions.add(
        () -> {
          completed.add(1);
          completions.add(() -> completed.add(2));
          throw new IllegalStateException("of the user");
        });
    taken.forEach(Runnable::run);
    assertThat(taken).hasSize(1);
    assertThat(completed).containsExactly(1, 2);
  }
}
