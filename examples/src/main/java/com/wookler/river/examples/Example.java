package com.wookler.river.examples;

/**
 * A program that {@link Main} can start by the name of its class, which is public and has a public
 * constructor without parameters.
 */
public interface Example {
  /**
   * Runs to its end on the calling thread.
   *
   * @throws com.wookler.river.examples.utils.UsageException the options are not valid
   */
  void run(ExampleOptions options) throws Exception;

  /**
   * Returns the number of messages to publish if the command line does not contain it (default
   * 1,000,000).
   */
  default long defaultCount() {
    return 1_000_000;
  }
}
