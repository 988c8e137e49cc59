package com.wookler.river.rest.server.http;

import com.wookler.river.rest.server.hosting.RequestException;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Work that waits for a thread: only so much of it, and only as long as who asked for it is there.
 * Thread-safe.
 */
final class WaitingLine {
  private static final int RETRY_SECONDS = 5;

  private final String what;
  private final int longest;
  private final AtomicInteger length = new AtomicInteger();

  WaitingLine(String what, int longest) {
    this.what = what;
    this.longest = longest;
  }

  /**
   * Returns the work as it is to be run, once: it does nothing if its client has left while it
   * waited.
   *
   * @param onEnd is given what is to be run when the client leaves
   * @throws RequestException as many wait as may
   */
  <T> Callable<T> enter(Consumer<Runnable> onEnd, Callable<T> work) {
    if (length.incrementAndGet() > longest) {
      length.decrementAndGet();
      throw RequestException.later(
          RequestException.Reason.UNAVAILABLE, "too many " + what + " wait", RETRY_SECONDS);
    }
    AtomicBoolean waits = new AtomicBoolean(true);
    onEnd.accept(() -> leave(waits));
    return () -> {
      if (!leave(waits)) {
        throw RequestException.of(
            RequestException.Reason.TIMEOUT, "the client has left while this waited");
      }
      return work.call();
    };
  }

  private boolean leave(AtomicBoolean waits) {
    boolean waited = waits.compareAndSet(true, false);
    if (waited) {
      length.decrementAndGet();
    }
    return waited;
  }
}
