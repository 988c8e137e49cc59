package com.wookler.river.benchmarks.programs;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * What all programs take. There is no {@code -h}, {@code -p} and {@code --thrift}: they name a
 * server.
 */
final class QueueFlags {
  @Option(
      names = "-q",
      paramLabel = "NAME",
      defaultValue = "spam",
      description = "Queue, or prefix of several. Default: ${DEFAULT-VALUE}.")
  private String name = "spam";

  @Option(
      names = "-F",
      description = "Keep what an earlier run left in --directory; else the queues are emptied.")
  private boolean keep;

  @Option(
      names = "--directory",
      paramLabel = "DIR",
      description = "Where the queues are. Default: a temporary directory, removed at the end.")
  private @Nullable Path directory;

  @SuppressWarnings("unused") // picocli looks at the annotation only
  @Option(names = "--help", usageHelp = true, description = "Show this help and exit.")
  private boolean help;

  /** Of the queue, or the prefix of several. */
  String name() {
    return name;
  }

  /** Name of the n-th of so many queues: the prefix alone if there is one queue only. */
  String name(int number, int queues) {
    return queues == 1 ? name : name + number;
  }

  /** Whether messages of an earlier run stay. */
  boolean keep() {
    return keep;
  }

  /** Null for a temporary one. */
  @Nullable Path directory() {
    return directory;
  }
}
