package com.wookler.river.benchmarks.reactor;

import com.wookler.river.benchmarks.harness.Benchmark;
import com.wookler.river.benchmarks.harness.BenchmarkCommand;
import com.wookler.river.benchmarks.harness.Context;
import com.wookler.river.benchmarks.harness.UsageException;
import com.wookler.river.benchmarks.report.Row;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code ./river bench reactor}: what a reactor costs where its processor does nothing, how soon it
 * wakes, and what it costs while there is nothing to do.
 */
@Command(
    name = "reactor",
    description = "An empty processor beside batch(64) with ack; waking up; idle reactors.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    showDefaultValues = true)
public final class ReactorCommand extends BenchmarkCommand {
  @Option(names = "--count", paramLabel = "N", description = "Messages of a round of throughput.")
  private int count = 1_000_000;

  @Option(
      names = "--rests",
      paramLabel = "N",
      description = "How often 40 reactors are woken from a rest.")
  private int rests = 20;

  @Option(names = "--idle", paramLabel = "N", description = "Idle reactors.")
  private int idle = 100;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      description = "How long they are watched, three times.")
  private int seconds = 10;

  /** A part in the JVM that does this; the options as their names say. */
  record Part(
      String name,
      String directory,
      Context.Extent extent,
      int asked,
      ReactorWork.Settings settings)
      implements Context.Job<Row[]> {
    @Override
    public Row[] call() throws Exception {
      Context context = new Context(Path.of(directory), extent, asked, System.err::println);
      ReactorWork work = new ReactorWork(context, settings);
      List<Row> rows =
          switch (name) {
            case "throughput" -> work.throughput();
            case "wakes" -> work.wakes();
            default -> work.idle();
          };
      return rows.toArray(Row[]::new);
    }
  }

  @Override
  protected void check() {
    if (count < 1 || rests < 1 || idle < 1 || seconds < 1) {
      throw new UsageException("all numbers are at least 1");
    }
  }

  @Override
  protected List<Benchmark> benchmarks() {
    return List.of(
        part("throughput", "1 KiB through an empty processor, beside batch(64) and ack"),
        part("wakes", "how soon a reactor wakes, at rest and while its thread waits"),
        part("idle", "the CPU time of the process with idle reactors"));
  }

  private Benchmark part(String name, String text) {
    ReactorWork.Settings settings = new ReactorWork.Settings(count, rests, idle, seconds);
    return new Benchmark(
        name,
        text,
        context ->
            context.inChild(
                List.of(),
                new Part(
                    name,
                    context.directory().toString(),
                    context.extent(),
                    context.asked(),
                    settings)));
  }
}
