package com.wookler.river.core;

import com.wookler.river.common.utils.FirstFailure;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * The graceful close of a queue: its steps, in the reverse order of those that opened it. Each
 * belongs to a stage of the opening and is added in that stage only, so that what opens a part in
 * the wrong place fails at the first opening. Not thread-safe: opening and closing exclude each
 * other.
 */
final class ClosingStack {
  /** The stages of an opening, each of which needs those before it. */
  enum Stage {
    /** Where messages are kept and found: directory, threads, backups, log, look-ups, key index. */
    STORAGE,
    /** What reads the log and gives messages away: subscribers, dead letters, forwards, expiry. */
    DELIVERY,
    /** What a publish asks besides the log: ids, delayed messages, what came from elsewhere. */
    ACCEPTANCE,
    /** What runs in the background: forces, archiving, removal, housekeeping. */
    MAINTENANCE,
    /** What calls into the queue from outside: publishers, other queues, attachments, counters. */
    SERVICE
  }

  private final Deque<Runnable> steps = new ArrayDeque<>();
  private final Deque<Stage> following = new ArrayDeque<>(List.of(Stage.values()));
  private Stage stage = following.pop();

  /** Begins the next stage, and fails if it is another one. */
  void enter(Stage next) {
    if (next != following.peek()) {
      throw new IllegalStateException("stage " + next + " does not follow " + stage);
    }
    stage = following.pop();
  }

  /** Adds a step of the current stage, which will run before those that were added earlier. */
  void add(Stage of, Runnable step) {
    if (of != stage) {
      throw new IllegalStateException("a step of " + of + " in stage " + stage);
    }
    steps.push(step);
  }

  /** Runs all steps once, last first, whatever fails, and returns what failed first. */
  FirstFailure close() {
    FirstFailure failure = new FirstFailure();
    while (!steps.isEmpty()) {
      failure.run(steps.pop()::run);
    }
    return failure;
  }
}
