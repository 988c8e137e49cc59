package com.wookler.river.common.utils;

/** Checks of arguments, with one text for all. */
public final class Require {
  private Require() {}

  /**
   * The number, if it is 1 or more.
   *
   * @param name of the parameter
   * @throws IllegalArgumentException it is not: names the parameter, what it is and what is allowed
   */
  public static int positive(int number, String name) {
    if (number < 1) {
      throw new IllegalArgumentException(name + " is " + number + "; it must be 1 or more");
    }
    return number;
  }
}
