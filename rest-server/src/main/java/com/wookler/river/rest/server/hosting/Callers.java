package com.wookler.river.rest.server.hosting;

import org.jspecify.annotations.Nullable;

/** Knows callers by their keys. */
public interface Callers {
  /** Where there are no keys, every caller may do everything. */
  Callers ALL =
      new Callers() {
        @Override
        public boolean needKeys() {
          return false;
        }

        @Override
        public Access access(@Nullable String key) {
          return Access.ALL;
        }
      };

  /** Returns whether a caller needs a key. */
  boolean needKeys();

  /**
   * Returns what a caller may do.
   *
   * @param key null if it sent none
   * @throws RequestException the key is not valid
   */
  Access access(@Nullable String key);
}
