package com.wookler.river.rest.client;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Runs the handlers of any number of streams by a few threads. A handler may block: while work has
 * waited for a moment and none of it was begun, there is one more thread, so that handlers that
 * block hold up no others for long, and never for good. Thread-safe.
 */
final class HandlerThreads implements Executor {
  private static final Duration PATIENCE = Duration.ofMillis(100);

  private final Transport transport;
  private final int few;

  @GuardedBy("this")
  private final Deque<Runnable> waiting = new ArrayDeque<>();

  @GuardedBy("this")
  private int threads;

  @GuardedBy("this")
  private long begun; // how much work

  @GuardedBy("this")
  private boolean watched;

  HandlerThreads(Transport transport, int few) {
    this.transport = transport;
    this.few = few;
  }

  @Override
  public void execute(Runnable work) {
    boolean start;
    boolean watch;
    long at;
    synchronized (this) {
      waiting.add(work);
      start = threads < few;
      threads += start ? 1 : 0;
      watch = !start && !watched;
      watched |= watch;
      at = begun;
    }
    if (start) {
      transport.threads().execute(this::work);
    } else if (watch) {
      watch(at);
    }
  }

  private void work() {
    for (Runnable next = next(); next != null; next = next()) {
      next.run();
    }
  }

  private synchronized @Nullable Runnable next() {
    Runnable next = waiting.poll();
    if (next == null) {
      threads--;
    } else {
      begun++;
    }
    return next;
  }

  private void watch(long before) {
    var unused = transport.after(PATIENCE).thenRun(() -> look(before));
  }

  private void look(long before) {
    long at;
    boolean more;
    synchronized (this) {
      if (waiting.isEmpty()) {
        watched = false;
        return;
      }
      at = begun;
      more = at == before;
      threads += more ? 1 : 0;
    }
    if (more) {
      transport.threads().execute(this::work);
    }
    watch(at);
  }
}
