package com.wookler.river.examples;

/** Where the examples' definitions stand in their configuration file. */
public final class SampleConstants {
  /** The path to the root under which everything is defined. */
  public static final String CONFIG_PATH = "river";

  /** The path to the queue. */
  public static final String CONFIG_PATH_QUEUE = "river.queue";

  private SampleConstants() {}
}
