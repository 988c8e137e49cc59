package com.wookler.river.rest.server.hosting;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Authenticates callers by their API keys. */
public interface Authenticator {
  /** Gives every caller all rights, for a server without keys. */
  Authenticator DISABLED =
      new Authenticator() {
        @Override
        public boolean requiresKey() {
          return false;
        }

        @Override
        public Access authenticate(@Nullable String key) {
          return Access.ALL;
        }
      };

  /** Returns what all keys may do now, in the order of their names; none without keys. */
  default List<Access> all() {
    return List.of();
  }

  /** Returns whether requests need a key. */
  boolean requiresKey();

  /**
   * Returns the rights of a caller.
   *
   * @param key null if the caller sent none
   * @throws RequestException the key is not valid
   */
  Access authenticate(@Nullable String key);
}
