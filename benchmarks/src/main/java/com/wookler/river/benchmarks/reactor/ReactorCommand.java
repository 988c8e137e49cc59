package com.wookler.river.benchmarks.reactor;

import com.wookler.river.benchmarks.harness.Benchmark;
import com.wookler.river.benchmarks.harness.BenchmarkCommand;
import com.wookler.river.benchmarks.harness.UsageException;
import com.wookler.river.benchmarks.reactor.ReactorWork.Settings;
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

  @Override
  protected void check() {
    if (count < 1 || rests < 1 || idle < 1 || seconds < 1) {
      throw new UsageException("all numbers are at least 1");
    }
  }

  @Override
  protected List<Benchmark> benchmarks() {
    Settings settings = new Settings(count, rests, idle, seconds);
    return List.of(
        new Benchmark(
            "throughput",
            "1 KiB through an empty processor, beside batch(64) and ack",
            context -> new ReactorWork(context, settings).throughput()),
        new Benchmark(
            "wakes",
            "how soon a reactor wakes, at rest and while its thread waits",
            context -> new ReactorWork(context, settings).wakes()),
        new Benchmark(
            "idle",
            "the CPU time of the process with idle reactors",
            context -> new ReactorWork(context, settings).idle()));
  }

  @Override
  protected List<String> jvm() {
    return List.of();
  }
}
