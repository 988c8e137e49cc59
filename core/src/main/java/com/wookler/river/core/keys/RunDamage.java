package com.wookler.river.core.keys;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A run is not what was written, or not this queue's. */
final class RunDamage extends Exception {
  private static final long serialVersionUID = 1L;

  private transient @Nullable KeyRun run;

  RunDamage(String what) {
    super(what);
  }

  RunDamage(String what, Throwable cause) {
    super(what, cause);
  }

  /** Notes in which run it is. */
  RunDamage in(KeyRun damaged) {
    run = damaged;
    return this;
  }

  /** Returns the run, where a merge met it. */
  KeyRun run() {
    return Objects.requireNonNull(run);
  }

  String what() {
    return String.valueOf(getMessage());
  }
}
