package com.wookler.river.benchmarks.load;

import com.wookler.river.benchmarks.utils.UsageException;
import com.wookler.river.common.config.Sizes;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Measures writing so much that the page cache cannot hold it. */
@Command(
    name = "sustained",
    description = "Writes more than the page cache likes, while a subscriber drains.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
public final class SustainedCommand implements Callable<Integer> {
  private static final Duration CAP = Duration.ofHours(1); // the bytes are what counts

  @Option(
      names = "--bytes",
      paramLabel = "SIZE",
      defaultValue = "8GB",
      description = "What each round writes. Default: ${DEFAULT-VALUE}.")
  private String bytes;

  @Mixin private LoadOptions options;
  @Spec private CommandSpec spec;

  /** Made by the command line, which sets the options. */
  @SuppressWarnings("NullAway.Init")
  public SustainedCommand() {}

  @Override
  public Integer call() throws Exception {
    Line line = Lines.byName(Lines.SUSTAINED);
    double messages = (double) size() / line.work().size();
    options.measure(spec, List.of(line), messages / line.count(), CAP);
    return CommandLine.ExitCode.OK;
  }

  private long size() {
    try {
      return Sizes.parse(bytes);
    } catch (IllegalArgumentException e) {
      throw new UsageException("--bytes " + bytes + ": " + e.getMessage());
    }
  }
}
