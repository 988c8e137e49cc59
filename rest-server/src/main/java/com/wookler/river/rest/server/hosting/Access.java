package com.wookler.river.rest.server.hosting;

import org.jspecify.annotations.Nullable;

/** What the caller of a request may do. */
public interface Access {
  /** Where there are no keys. */
  Access ALL =
      new Access() {
        @Override
        public boolean allows(Right right, String queue) {
          return true;
        }

        @Override
        public @Nullable RequestException refusal(Right right, String queue) {
          return null;
        }

        @Override
        public String name() {
          return "";
        }
      };

  /** Returns whether the caller has this right on this queue now: keys change. */
  boolean allows(Right right, String queue);

  /** Returns why the caller may not do this now; null if it may. */
  @Nullable RequestException refusal(Right right, String queue);

  /** By which the log knows the caller; nothing secret. */
  String name();
}
