package com.wookler.river.common.utils;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.MonitoredThread;
import com.wookler.river.common.Threads;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** Does the same for each of many items, on as many threads as there are processors. */
public final class ParallelWork {
  private static final int MOST = 4; // more would wait for the disk together

  private final List<Runnable> work;
  private final AtomicInteger next = new AtomicInteger();

  @GuardedBy("this")
  private final FirstFailure failure = new FirstFailure();

  private volatile boolean failed;

  private ParallelWork(List<Runnable> work) {
    this.work = work;
  }

  /**
   * Calls an action for the first item, and when that is done for the others, in any order and
   * several at once: classes are loaded by one thread. The calling thread is one of those that do
   * it. Returns when all are done. After a failure no further item is begun, and when those under
   * way are done, the first failure is thrown, with the others suppressed in it. An interrupt is
   * left to the actions on the calling thread.
   *
   * @param name of the threads, to which a number is added
   */
  public static <T> void forEach(String name, List<T> items, Consumer<? super T> action) {
    List<Runnable> work = new ArrayList<>(items.size());
    items.forEach(item -> work.add(() -> action.accept(item)));
    new ParallelWork(work).run(name);
  }

  private void run(String name) {
    work(Math.min(1, work.size()));
    int processors = Math.min(MOST, Runtime.getRuntime().availableProcessors());
    List<Thread> threads = new ArrayList<>();
    for (int i = 1; i < Math.min(processors, work.size() - 1) && !failed; i++) {
      Thread thread = new MonitoredThread(name + "-" + i, () -> work(work.size()));
      thread.setContextClassLoader(Thread.currentThread().getContextClassLoader());
      if (!isStarted(thread)) {
        break;
      }
      threads.add(thread);
    }
    work(work.size());
    threads.forEach(thread -> Threads.join(thread, name));
    synchronized (this) {
      failure.rethrow();
    }
  }

  /** Returns false without memory for a thread: then there are fewer. */
  private static boolean isStarted(Thread thread) {
    try {
      thread.start();
      return true;
    } catch (OutOfMemoryError e) {
      return false;
    }
  }

  /** Does what no thread has begun, up to an end. */
  private void work(int end) {
    while (!failed && next.get() < end) {
      int i = next.getAndIncrement();
      try {
        if (i < end) {
          work.get(i).run();
        }
      } catch (Throwable e) { // thrown where all are done
        synchronized (this) {
          failure.add(e);
        }
        failed = true;
      }
    }
  }
}
