package com.wookler.river.benchmarks.options;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** {@code --only NAME} and {@code --list}: which of what a command can measure. */
public final class ChoiceOptions {
  @Option(
      names = "--only",
      split = ",",
      paramLabel = "NAME",
      description = "Measure these (all); --list lists them.")
  private List<String> only = new ArrayList<>();

  @Option(names = "--list", description = "List what there is to measure, and end.")
  private boolean list;

  /** Made by the command line, which sets the options. */
  public ChoiceOptions() {}

  /** Names; empty for all there are. */
  public List<String> only() {
    return only;
  }

  /** Whether to list them, and measure nothing. */
  public boolean isList() {
    return list;
  }
}
