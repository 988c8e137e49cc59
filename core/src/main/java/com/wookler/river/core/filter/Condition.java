package com.wookler.river.core.filter;

import org.jspecify.annotations.Nullable;

/** A compiled expression; thread-safe. */
interface Condition {
  /** Returns its value for a message; throws any exception if it cannot be evaluated. */
  @Nullable Object evaluate(Fields fields);
}
