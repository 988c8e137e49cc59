package com.wookler.river.core.filter;

import org.jspecify.annotations.Nullable;

/**
 * How much may be done to judge one message: the expression may come from whoever may make a
 * subscriber, and what it looks at from whoever may publish; neither is to hold up a thread.
 * Confined to the thread that judges.
 */
final class Effort {
  /** Characters of texts made, or read times a pattern's size; tenths of a second at worst. */
  static final int MOST = 10_000_000;

  /** Longest text that is read as a number: what that costs grows with the square. */
  private static final int LONGEST_NUMBER = 1_000;

  private static final Patterns NONE = new Patterns();
  private static final ThreadLocal<Effort> CURRENT = ThreadLocal.withInitial(Effort::new);

  private long left;
  private Patterns patterns = NONE;
  private @Nullable String failure;

  private Effort() {}

  /** Begins with a message; what is spent from here on is spent on it. */
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
   * Does so much.
   *
   * @throws IllegalStateException it is too much
   */
  void spend(long steps) {
    left -= steps;
    if (left < 0) {
      throw failed("it takes more than " + MOST + " steps");
    }
  }

  /**
   * Why the message cannot be judged; an operator that passes over what it is thrown changes
   * nothing.
   */
  IllegalStateException failed(String why) {
    left = -1;
    failure = why;
    return new IllegalStateException(why);
  }

  /** Returns those of the expression that judges. */
  Patterns patterns() {
    return patterns;
  }

  /**
   * At the end of a message.
   *
   * @throws IllegalStateException something has failed before
   */
  void ensureDone() {
    if (failure != null) {
      throw new IllegalStateException(failure);
    }
  }

  /** A text is to be read as a number, if it is a text. */
  static void number(Object value) {
    if (value instanceof CharSequence text && text.length() > LONGEST_NUMBER) {
      throw new ArithmeticException("a text of " + text.length() + " characters is no number");
    }
  }
}
