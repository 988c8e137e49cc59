package com.wookler.river.rest.server;

/** What the caller of a request may do. */
@FunctionalInterface
interface Access {
  /** Where there are no keys. */
  Access ALL = (right, queue) -> true;

  /** Whether the caller has this right on this queue. */
  boolean allows(Right right, String queue);
}
