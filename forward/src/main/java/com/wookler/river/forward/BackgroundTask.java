package com.wookler.river.forward;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.ManagedTask;
import com.wookler.river.common.SharedTaskManager;
import org.jspecify.annotations.Nullable;

/** A task that the shared task manager runs from its first start until it is stopped. */
final class BackgroundTask {
  private final ManagedTask task;

  @GuardedBy("this")
  private @Nullable SharedTaskManager share; // while it runs

  BackgroundTask(ManagedTask task) {
    this.task = task;
  }

  /** Has it run from now on; idempotent. */
  synchronized void start() {
    if (share == null) {
      share = SharedTaskManager.acquire();
      share.manager().add(task);
    }
  }

  /** Ends it; idempotent. */
  synchronized void stop() {
    if (share != null) {
      share.manager().remove(task);
      share.close();
      share = null;
    }
  }
}
