package com.wookler.river.examples.utils;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.MonitoredThread;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A group of threads: when one fails, the others are interrupted, and {@link #join} throws the
 * first exception. Thread-safe.
 */
public final class Workers {
  /** The task of a thread. It ends soon after an interrupt. */
  @FunctionalInterface
  public interface Task {
    /** Runs the task. */
    void run() throws Exception;
  }

  private final Object lock = new Object();

  @GuardedBy("lock")
  private final List<Thread> threads = new ArrayList<>();

  @GuardedBy("lock")
  private @Nullable Exception failure;

  @GuardedBy("lock")
  private boolean stopped;

  /** Starts a thread; after a failure it is interrupted from the start. */
  public void start(String name, Task task) {
    Thread thread = new MonitoredThread(name, () -> work(task));
    synchronized (lock) {
      threads.add(thread);
      thread.start();
      if (failure != null || stopped) {
        thread.interrupt();
      }
    }
  }

  private void work(Task task) {
    try {
      task.run();
    } catch (Exception e) {
      fail(e);
    }
  }

  private void fail(Exception e) {
    synchronized (lock) {
      if (failure == null && !stopped) {
        failure = e;
      }
      threads.forEach(Thread::interrupt);
    }
  }

  /** Interrupts all threads, and ignores what they throw from now on. */
  public void stop() {
    synchronized (lock) {
      stopped = true;
      threads.forEach(Thread::interrupt);
    }
  }

  /** Returns whether a thread is still running. */
  public boolean running() {
    synchronized (lock) {
      return threads.stream().anyMatch(Thread::isAlive);
    }
  }

  /** Waits until all threads have ended, and throws the exception of the first one that failed. */
  public void join() throws Exception {
    List<Thread> all;
    synchronized (lock) {
      all = List.copyOf(threads);
    }
    for (Thread thread : all) {
      thread.join();
    }
    synchronized (lock) {
      if (failure != null) {
        throw failure;
      }
    }
  }
}
