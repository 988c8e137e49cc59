package com.wookler.river.common.utils;

/** Checks arguments, with a uniform error message. */
public final class Require {
  private Require() {}

  /**
   * Returns the number if it is 1 or more.
   *
   * @param name name of the parameter
   * @throws IllegalArgumentException the number is less; the message names the parameter, its value
   *     and what is allowed
   */
  public static int positive(int number, String name) {
    if (number < 1) {
      throw new IllegalArgumentException(name + " is " + number + "; it must be 1 or more");
    }
    return number;
  }
}
