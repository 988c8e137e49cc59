package com.wookler.river.benchmarks.jmh;

import com.wookler.river.benchmarks.harness.Context;
import com.wookler.river.benchmarks.harness.Rounds;
import com.wookler.river.benchmarks.harness.Suite;
import com.wookler.river.benchmarks.harness.Suite.Benchmark;
import java.util.List;
import java.util.Map;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * The JMH benchmarks of this package, each in JVMs of its own with the allocation profiler: a round
 * is an iteration of a fork.
 */
public final class SmallPaths {
  private static final String TABLE = "jmh";
  private static final String ALLOCATED = "gc.alloc.rate.norm";

  /** Measures the small paths with JMH. */
  public static final Suite SUITE =
      new Suite(
          TABLE,
          "Measures the small paths with JMH: time and allocation.",
          List.of(),
          new Suite.Jvm(false, "", 1),
          List.of(
              benchmark("Publish", "publish one by one and in batches", ""),
              benchmark("Consume", "take one by one and in batches, with ack and without", ""),
              benchmark(
                  "Ack",
                  "acknowledge one by one and in batches",
                  "no B/op: JMH counts what taking the messages allocated too"),
              benchmark(
                  "Tracing",
                  "what OpenTelemetry without an SDK adds to a publish, in a trace too",
                  "")));

  private SmallPaths() {}

  private static Benchmark benchmark(String name, String text, String note) {
    return new Benchmark(
        name,
        TABLE,
        text,
        (context, rounds) -> {
          rounds.ofSystems("");
          rounds.note(note);
          for (RunResult result : run(name, context)) {
            result.getBenchmarkResults().stream()
                .flatMap(fork -> fork.getIterationResults().stream())
                .forEach(iteration -> record(result, iteration, note.isEmpty(), rounds));
          }
        });
  }

  private static Iterable<RunResult> run(String name, Context context) throws RunnerException {
    boolean quick = context.quick();
    ChainedOptionsBuilder options =
        new OptionsBuilder()
            .include(QueueBenchmarks.class.getName() + "\\." + name + "Benchmark\\.")
            .addProfiler(GCProfiler.class)
            .shouldFailOnError(true)
            .forks(quick ? 0 : 1)
            .jvmArgsAppend(context.jvm().toArray(String[]::new))
            .warmupIterations(quick ? 0 : 3)
            .warmupTime(TimeValue.seconds(1))
            .measurementIterations(context.rounds(5))
            .measurementTime(
                quick ? TimeValue.milliseconds(10) : TimeValue.seconds(context.seconds()));
    if (quick) {
      System.setProperty("jmh.ignoreLock", "true"); // another may run; the figures mean nothing
      options = options.verbosity(VerboseMode.SILENT);
    }
    try {
      return new Runner(options.build()).run();
    } finally {
      System.clearProperty("jmh.ignoreLock");
    }
  }

  private static void record(
      RunResult result, IterationResult iteration, boolean allocates, Rounds rounds) {
    Result<?> time = iteration.getPrimaryResult();
    Result<?> bytes = iteration.getSecondaryResults().get(ALLOCATED);
    Map<String, Double> extra =
        allocates && bytes != null ? Map.of("B/op", bytes.getScore()) : Map.of();
    String line = line(result.getParams());
    rounds.record(line, Rounds.RIVER, time.getScoreUnit(), time.getScore(), extra);
  }

  /** Returns the name of a line, such as {@code Publish.publishAll64, 1024 B}. */
  private static String line(BenchmarkParams params) {
    String method = params.getBenchmark(); // with package and class
    String name = method.substring(QueueBenchmarks.class.getName().length() + 1);
    String size = params.getParam("size");
    String traced = "true".equals(params.getParam("traced")) ? ", in a trace" : "";
    return name.replace("Benchmark", "") + (size == null ? "" : ", " + size + " B") + traced;
  }
}
