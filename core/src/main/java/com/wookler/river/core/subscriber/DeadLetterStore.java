package com.wookler.river.core.subscriber;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Keeps the dead letters of one subscriber; implemented by the queue. Thread-safe, but letters are
 * added one at a time. What it does may wait for the device: never called under the subscriber's
 * lock.
 */
public interface DeadLetterStore<M> extends AutoCloseable {
  /** Returns the store of subscribers without dead letters: those of a queue of dead letters. */
  static <M> DeadLetterStore<M> none(String queue) {
    return new NoDeadLetters<>(queue);
  }

  /** Keeps a letter, safe from a kill when this returns; returns its place: one more each time. */
  long add(DeadLetter letter);

  /** Returns when all that was added is on the device. */
  void force();

  /** Records that the messages of all letters below a place are completed, on the device. */
  void settle(long end);

  /**
   * Drops the oldest letters over {@code most} and those older than {@code age}, and returns how
   * many; zero is without limit. While letters are redriven or purged it may leave them.
   */
  long drop(long most, Duration age);

  /** Moves letters to the queue of this name, as far as it takes them now, each once. */
  default void transfer(String target) {}

  /** Returns the messages of letters that are not {@link #settle settled}, in order of places. */
  List<DeadLetter.Source> unsettled();

  long end();

  /** Notifies listeners of a dead letter, which is on the device. */
  void report(DeadLetter letter);

  /** Runs this soon, on a thread that may wait for the device. */
  void later(Runnable task);

  DeadLetters<M> letters();

  /** Copies them, if there are any, into the directory of a subscriber that is a copy. */
  void copyTo(Path subscriber);

  /** Ends its use; waits for calls under way. */
  @Override
  void close();
}
