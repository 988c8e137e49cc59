package com.wookler.river.common.utils;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;

/**
 * A graceful close: its steps, in the reverse order of those that opened it. Each belongs to a
 * stage of the opening and is added in that stage only, so that what opens a part in the wrong
 * place fails at the first opening. Not thread-safe.
 *
 * @param <S> the stages of the opening, each of which needs those before it
 */
public final class ClosingStack<S extends Enum<S>> {
  private final Deque<Runnable> steps = new ArrayDeque<>();
  private final Deque<S> following;
  private S stage;

  /** Begins with the first stage. */
  public ClosingStack(Class<S> stages) {
    following = new ArrayDeque<>(EnumSet.allOf(stages));
    stage = following.pop();
  }

  /** Begins the next stage, and fails if it is another one. */
  public void enter(S next) {
    if (next != following.peek()) {
      throw new IllegalStateException("stage " + next + " does not follow " + stage);
    }
    stage = following.pop();
  }

  /** Adds a step of the current stage, which will run before those that were added earlier. */
  public void add(S of, Runnable step) {
    if (of != stage) {
      throw new IllegalStateException("a step of " + of + " in stage " + stage);
    }
    steps.push(step);
  }

  /** Runs all steps once, last first, whatever fails, and returns what failed first. */
  public FirstFailure close() {
    FirstFailure failure = new FirstFailure();
    while (!steps.isEmpty()) {
      failure.run(steps.pop()::run);
    }
    return failure;
  }
}
