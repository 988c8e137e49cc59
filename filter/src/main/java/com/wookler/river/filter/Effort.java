package com.wookler.river.filter;

import org.jspecify.annotations.Nullable;

/**
 * Limits the work for one message: expressions may come from any client that may create a
 * subscriber, and messages from any that may publish; neither must occupy a thread for long.
 * Confined to the thread that evaluates.
 */
final class Effort {
  /** Characters of texts made, or read, times a pattern's size; tenths of a second at worst. */
  static final int MOST = 10_000_000;

  /** Longest text that is read as a number: what that costs grows with the square. */
  private static final int LONGEST_NUMBER = 1_000;

  private static final Patterns NONE = new Patterns();
  private static final ThreadLocal<Effort> CURRENT = ThreadLocal.withInitial(Effort::new);

  private long left;
  private Patterns patterns = NONE;
  private @Nullable String failure;

  private Effort() {}

  /** Begins with a message; what is spent from now on counts for it. */
  static Effort begin(Patterns patterns) {
    Effort effort = current();
    effort.left = MOST;
    effort.patterns = patterns;
    effort.failure = null;
    return effort;
  }

  static Effort current() {
    return CURRENT.get();
  }

  /**
   * Counts steps.
   *
   * @throws IllegalStateException they are too many
   */
  void spend(long steps) {
    left -= steps;
    if (left < 0) {
      throw failed("it takes more than " + MOST + " steps");
    }
  }

  /**
   * Notes and returns why the message cannot be evaluated; {@link #ensureDone} throws it even if an
   * operator ignores it.
   */
  IllegalStateException failed(String why) {
    left = -1;
    failure = why;
    return new IllegalStateException(why);
  }

  Patterns patterns() {
    return patterns;
  }

  /**
   * Ends a message.
   *
   * @throws IllegalStateException something has failed before
   */
  void ensureDone() {
    if (failure != null) {
      throw new IllegalStateException(failure);
    }
  }

  /** Refuses to read a long text as a number. */
  static void number(Object value) {
    if (value instanceof CharSequence text && text.length() > LONGEST_NUMBER) {
      throw new ArithmeticException("a text of " + text.length() + " characters is no number");
    }
  }
}
