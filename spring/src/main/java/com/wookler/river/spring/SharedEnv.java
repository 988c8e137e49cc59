package com.wookler.river.spring;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.Env;
import org.jspecify.annotations.Nullable;

/**
 * The environment of contexts that found none: the first one makes it, the last one that is closed
 * removes it. Contexts of one JVM, as tests have them, share it.
 */
final class SharedEnv {
  private static final Object LOCK = new Object();

  @GuardedBy("LOCK")
  private static @Nullable Env env;

  @GuardedBy("LOCK")
  private static int users;

  private SharedEnv() {}

  /** Returns whether the caller uses the shared one and has to {@link #release} it. */
  static boolean acquire(String application) {
    synchronized (LOCK) {
      Env present = Env.find().orElse(null);
      if (present == null) {
        env = Env.builder().monitor(application).open();
        users = 0;
      } else if (present != env) {
        return false; // the application's own, or of a river.xml
      }
      users++;
      return true;
    }
  }

  static void release() {
    synchronized (LOCK) {
      if (--users == 0 && Env.find().orElse(null) == env) {
        env = null;
        Env.reset();
      }
    }
  }
}
