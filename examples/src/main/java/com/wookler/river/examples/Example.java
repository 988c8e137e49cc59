package com.wookler.river.examples;

/**
 * A program that {@link Main} can start by the name of its class, which is public and has a public
 * constructor without parameters.
 */
public interface Example {
  /**
   * Runs to its end on the calling thread.
   *
   * @throws com.wookler.river.examples.utils.UsageException if the options make no sense
   */
  void run(ExampleOptions options) throws Exception;
}
