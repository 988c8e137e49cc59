package com.wookler.river.examples;

/** The paths of the examples' definitions in their configuration file. */
public final class SampleConstants {
  /** The path to the root of all definitions. */
  public static final String CONFIG_PATH = "river";

  /** The path to the queue. */
  public static final String CONFIG_PATH_QUEUE = "river.queue";

  private SampleConstants() {}
}
