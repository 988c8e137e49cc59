package com.wookler.river.common.utils;

import java.io.Console;

/** Whether somebody is looking. */
public final class Terminal {
  private Terminal() {}

  /** Whether the program was started from, and writes to, a terminal. */
  @SuppressWarnings("SystemConsoleNull") // null up to Java 21; newer ones are asked below
  public static boolean interactive() {
    Console console = System.console();
    if (console == null) {
      return false;
    }
    try {
      // From JDK 22 on there is a console without a terminal too, and this method to tell.
      return (Boolean) Console.class.getMethod("isTerminal").invoke(console);
    } catch (NoSuchMethodException e) {
      return true;
    } catch (ReflectiveOperationException e) {
      return false;
    }
  }
}
