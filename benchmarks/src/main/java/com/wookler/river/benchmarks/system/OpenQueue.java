package com.wookler.river.benchmarks.system;

import java.io.IOException;

/** One open queue; closing it needs that its senders and receivers are closed. */
public interface OpenQueue extends AutoCloseable {
  /** Opens a publisher for one thread. */
  Sender sender() throws Exception;

  /**
   * Opens a subscriber for one thread. Different numbers are independent: each gets every message.
   * Systems without independent subscribers know number 0 only.
   */
  Receiver receiver(int number) throws Exception;

  @Override
  void close() throws IOException;
}
