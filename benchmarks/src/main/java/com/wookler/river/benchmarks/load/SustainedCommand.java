package com.wookler.river.benchmarks.load;

import com.wookler.river.benchmarks.harness.Benchmark;
import com.wookler.river.benchmarks.harness.UsageException;
import com.wookler.river.benchmarks.load.LoadContender.Size;
import com.wookler.river.common.config.Sizes;
import java.time.Duration;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures writing so much that the page cache cannot hold it. */
@Command(
    name = "sustained",
    description = "Writes more than the page cache likes, while a subscriber drains.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    showDefaultValues = true)
public final class SustainedCommand extends LoadCommand {
  private static final Duration CAP = Duration.ofHours(1); // the bytes are what counts

  @Option(names = "--bytes", paramLabel = "SIZE", description = "What each round writes.")
  private String bytes = "8GB";

  @Override
  protected List<Benchmark> benchmarks() {
    Line line = Lines.byName(Lines.SUSTAINED);
    double messages = (double) size() / line.work().size();
    return List.of(benchmark(line, new Size(messages / line.count(), CAP, null)));
  }

  private long size() {
    try {
      return Sizes.parse(bytes);
    } catch (IllegalArgumentException e) {
      throw new UsageException("--bytes " + bytes + ": " + e.getMessage());
    }
  }
}
