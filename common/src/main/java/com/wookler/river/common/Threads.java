package com.wookler.river.common;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Distinguishes virtual threads from others, and waits for threads to end. */
public final class Threads {
  private static final Logger LOG = LoggerFactory.getLogger(Threads.class);
  private static final long WARN_MILLIS = 10_000;

  private static final @Nullable MethodHandle IS_VIRTUAL = findIsVirtual();

  private Threads() {}

  /** Returns whether a thread is virtual: it runs only while it is scheduled on a carrier. */
  public static boolean isVirtual(Thread thread) {
    try {
      return IS_VIRTUAL != null && (boolean) IS_VIRTUAL.invokeExact(thread);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("cannot ask a thread whether it is virtual", e);
    }
  }

  private static @Nullable MethodHandle findIsVirtual() {
    try {
      return MethodHandles.publicLookup()
          .findVirtual(Thread.class, "isVirtual", MethodType.methodType(boolean.class));
    } catch (ReflectiveOperationException e) {
      return null; // before JDK 21
    }
  }

  /**
   * Waits until a thread has ended, unless it is the calling one, and logs a warning if that takes
   * long. An interrupt does not end the wait; the flag is set again afterwards.
   */
  public static void join(Thread thread, String owner) {
    if (thread == Thread.currentThread()) {
      return;
    }
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join(WARN_MILLIS);
        if (thread.isAlive()) {
          LOG.warn("Closing {} still waits for thread {}", owner, thread.getName());
        }
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
