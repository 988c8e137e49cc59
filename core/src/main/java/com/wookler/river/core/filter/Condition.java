package com.wookler.river.core.filter;

import org.jspecify.annotations.Nullable;

/** A compiled expression; thread-safe. */
interface Condition {
  /** Returns what it gives over a message; may throw whatever it finds there. */
  @Nullable Object evaluate(Fields fields);
}
