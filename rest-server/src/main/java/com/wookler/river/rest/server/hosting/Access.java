package com.wookler.river.rest.server.hosting;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The rights of the caller of a request. */
public interface Access {
  /** All rights, for a server without keys. */
  Access ALL =
      new Access() {
        @Override
        public boolean allows(Right right, String queue) {
          return true;
        }

        @Override
        public @Nullable RequestException denial(Right right, String queue) {
          return null;
        }

        @Override
        public List<String> queues(Right right) {
          return List.of("*");
        }

        @Override
        public String id() {
          return "";
        }

        @Override
        public String name() {
          return "";
        }
      };

  /** Returns whether the caller has this right on this queue now. Keys may change. */
  boolean allows(Right right, String queue);

  /** Returns the error if the caller does not have this right on this queue now; null if it has. */
  @Nullable RequestException denial(Right right, String queue);

  /** Returns the queues on which a key gives a right: names, or a beginning and {@code *}. */
  List<String> queues(Right right);

  /** Returns the limits of the caller's key; none without keys. */
  default KeyLimits limits() {
    return KeyLimits.NONE;
  }

  /**
   * Counts a request of the caller.
   *
   * @throws RequestException it is over a limit of the caller's key
   */
  default void countRequest() {}

  /**
   * Counts a request that acknowledges deliveries. It is never over a limit, because refused the
   * messages would be delivered again; what follows waits for longer.
   */
  default void countAcknowledgement() {}

  /**
   * Counts messages that the caller publishes.
   *
   * @throws RequestException they are over a limit of the caller's key
   */
  default void countMessages(int count) {}

  /** Returns what tells the caller's key from all others, and is not secret. */
  String id();

  /** Returns the caller's name in the log, which is not secret. */
  String name();
}
