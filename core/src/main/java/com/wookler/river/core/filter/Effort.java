package com.wookler.river.core.filter;

/**
 * How much may be done to judge one message: the expression may come from whoever may make a
 * subscriber, and what it looks at from whoever may publish; neither is to hold up a thread.
 * Confined to the thread that judges.
 */
final class Effort {
  /** Characters of texts and patterns, read or made; some ten milliseconds of work. */
  static final int MOST = 10_000_000;

  /** Longest text that is read as a number: what that costs grows with the square. */
  private static final int LONGEST_NUMBER = 1_000;

  private static final ThreadLocal<Effort> CURRENT = ThreadLocal.withInitial(Effort::new);

  private int left;

  private Effort() {}

  /** Begins with a message; what is spent from here on is spent on it. */
  static Effort begin() {
    Effort effort = current();
    effort.left = MOST;
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
  void spend(int steps) {
    left -= Math.min(steps, left + 1);
    ensureLeft();
  }

  /** Likewise if there was too much before, which an operator may have passed over. */
  void ensureLeft() {
    if (left < 0) {
      throw new IllegalStateException("it takes more than " + MOST + " steps");
    }
  }

  /** A text is to be read as a number, if it is a text. */
  static void number(Object value) {
    if (value instanceof CharSequence text && text.length() > LONGEST_NUMBER) {
      throw new ArithmeticException("a text of " + text.length() + " characters is no number");
    }
  }

  /** A text of which each look costs a step, so that no pattern goes over it for ever. */
  CharSequence metered(CharSequence text) {
    return new Metered(this, text);
  }

  private record Metered(Effort effort, CharSequence text) implements CharSequence {
    @Override
    public int length() {
      return text.length();
    }

    @Override
    public char charAt(int index) {
      effort.spend(1);
      return text.charAt(index);
    }

    @Override
    public CharSequence subSequence(int start, int end) {
      return text.subSequence(start, end);
    }

    @Override
    public String toString() {
      return text.toString();
    }
  }
}
