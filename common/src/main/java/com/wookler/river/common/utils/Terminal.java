package com.wookler.river.common.utils;

import java.io.Console;

/** Detects whether the program runs in a terminal. */
public final class Terminal {
  private Terminal() {}

  /** Returns whether the program was started from, and writes to, a terminal. */
  @SuppressWarnings(
      "SystemConsoleNull") // null without a terminal up to Java 21; newer ones are handled below
  public static boolean interactive() {
    Console console = System.console();
    if (console == null) {
      return false;
    }
    try {
      // From JDK 22 on there is a console without a terminal too, and this method.
      return (Boolean) Console.class.getMethod("isTerminal").invoke(console);
    } catch (NoSuchMethodException e) {
      return true;
    } catch (ReflectiveOperationException e) {
      return false;
    }
  }
}
