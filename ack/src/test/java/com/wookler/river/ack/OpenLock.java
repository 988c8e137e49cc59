package com.wookler.river.ack;

import java.util.concurrent.locks.ReentrantLock;

/** A lock that keeps nobody out, to show what a real one is needed for. */
final class OpenLock extends ReentrantLock {
  private static final long serialVersionUID = 1;

  @Override
  public void lock() {
    // Nobody waits.
  }

  @Override
  public void unlock() {
    // Nobody waited.
  }
}
