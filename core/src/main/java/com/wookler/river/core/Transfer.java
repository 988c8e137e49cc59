package com.wookler.river.core;

/**
 * Passes messages of a queue to elsewhere, or from elsewhere into it: a forward to another queue,
 * or what a module or an application adds by {@link MessageQueue#addTransfer}. Thread-safe.
 */
@FunctionalInterface
public interface Transfer {
  /** Returns how it is now; must not block. */
  TransferStats stats();
}
