package com.wookler.river.benchmarks.scale;

import com.wookler.river.benchmarks.harness.Benchmark;
import com.wookler.river.benchmarks.harness.BenchmarkCommand;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ./river bench scale}: each part in a JVM of its own, with 2 GB of heap. */
@Command(
    name = "scale",
    description = "What must not grow: with blocks, subscribers, backlog, queues.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
public final class ScaleCommand extends BenchmarkCommand {
  /** Table that all rows belong to. */
  static final String TABLE = "scale";

  private static final List<Benchmark> PARTS =
      List.of(
          new Benchmark(
              "blocks",
              "publish, consume, begin, follow and remove a block with 1 to 10,000 blocks in the"
                  + " log",
              Growth::blocks),
          new Benchmark(
              "subscribers",
              "publish and consume beside 0 to 1,000 idle subscribers",
              Growth::subscribers),
          new Benchmark(
              "backlog",
              "publish and consume with 0 to 10 million messages waiting, 100 million with --full",
              Growth::backlog),
          new Benchmark(
              "acks",
              "publish, consume and ack with 0 to 1 million acknowledgements above the floor",
              Growth::acks),
          new Benchmark(
              "restart",
              "open a queue with 10 million waiting and 1 million acknowledged above the floor",
              Restarts::restart),
          new Benchmark(
              "reopen", "open a queue again, and its 1,000 subscribers", Restarts::reopen),
          new Benchmark(
              "redelivery",
              "1 million messages in flight: their heap, and the time to deliver them again",
              Redelivery::measure),
          new Benchmark(
              "queues",
              "1,000 quiet queues in one JVM: threads, heap, disk, descriptors, CPU, time to open"
                  + " one",
              IdleQueues::measure),
          new Benchmark(
              "archive",
              "MB/s of log archived, and publishers' p99.9 with archiving and without",
              Archiving::archive),
          new Benchmark(
              "pauses",
              "the longest pause of a paced publisher while blocks are recycled, archived, forced",
              Archiving::pauses));

  @Option(names = "--full", description = "With 100 million messages waiting: 16 GB of disk.")
  private boolean full;

  @Override
  protected List<Benchmark> benchmarks() {
    return PARTS;
  }

  @Override
  protected List<String> jvm() {
    return List.of("-Xmx2g");
  }

  @Override
  protected boolean full() {
    return full;
  }
}
