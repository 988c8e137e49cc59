package com.wookler.river.spring;

import com.wookler.river.common.MonitoredThread;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * A thread that is no daemon, as all others of River's are: while it is there, an application
 * without a web server does not end. Guarded by {@link RiverListeners}.
 */
final class KeepAlive {
  private @Nullable CountDownLatch end; // null: there is no thread

  void keep(boolean wanted) {
    if (wanted && end == null) {
      CountDownLatch until = new CountDownLatch(1);
      Thread thread = new MonitoredThread("RIVER-listeners", () -> await(until));
      thread.setDaemon(false);
      thread.start();
      end = until;
    } else if (!wanted && end != null) {
      end.countDown();
      end = null;
    }
  }

  private static void await(CountDownLatch end) {
    try {
      end.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // it is to end
    }
  }
}
