package com.wookler.river.benchmarks.system;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/** Publishes that are not complete yet, up to a number; the first failure is thrown later. */
final class UnderWay {
  private final int most;
  private final Semaphore free;

  /** Written by the system's thread that completes, read by the publisher's. */
  private volatile @Nullable Throwable failure;

  UnderWay(int most) {
    this.most = most;
    this.free = new Semaphore(most);
  }

  /** Waits until there may be one more. */
  void begin() throws InterruptedException, ExecutionException {
    free.acquire();
    check();
  }

  /** Completes one; null for no failure. */
  void end(@Nullable Throwable failed) {
    if (failed != null) {
      failure = failed;
    }
    free.release();
  }

  /** Waits until all are complete. */
  void finish() throws InterruptedException, ExecutionException {
    free.acquire(most);
    free.release(most);
    check();
  }

  private void check() throws ExecutionException {
    Throwable failed = failure;
    if (failed != null) {
      throw new ExecutionException(failed);
    }
  }
}
