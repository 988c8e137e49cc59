package com.wookler.river.rest.server;

/** What the caller of a request may do. */
interface Access {
  /** Where there are no keys. */
  Access ALL =
      new Access() {
        @Override
        public boolean allows(Right right, String queue) {
          return true;
        }

        @Override
        public String name() {
          return "";
        }
      };

  /** Whether the caller has this right on this queue. */
  boolean allows(Right right, String queue);

  /** By which the log knows the caller; nothing secret. */
  String name();
}
