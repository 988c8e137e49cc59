package com.wookler.river.benchmarks.load;

import com.wookler.river.benchmarks.harness.Benchmark;
import com.wookler.river.benchmarks.harness.Context;
import com.wookler.river.benchmarks.harness.Rounds;
import com.wookler.river.benchmarks.harness.Samples;
import com.wookler.river.benchmarks.harness.UsageException;
import com.wookler.river.benchmarks.load.LoadContender.Size;
import com.wookler.river.benchmarks.report.Row;
import com.wookler.river.benchmarks.system.QueueSystem;
import com.wookler.river.benchmarks.system.Systems;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** Options of the commands that measure lines, and what these do with them. */
final class LoadOptions {
  private static final int ROUNDS = 5;

  @Option(
      names = "--systems",
      paramLabel = "NAME",
      arity = "1..*",
      split = ",",
      description = "Systems that take part. Default: all. Ratios need chronicle.")
  private List<String> systems = List.of();

  @Option(names = "--heap", paramLabel = "SIZE", description = "Heap of each JVM that works.")
  private String heap = "1g";

  @Option(
      names = "--jvm",
      paramLabel = "OPTION",
      description = "A further option for each JVM that works; may be repeated.")
  private List<String> jvm = new ArrayList<>();

  /** Creates it; the command line sets the options. */
  LoadOptions() {}

  /**
   * Returns the systems that take part.
   *
   * @throws UsageException there is none of such a name
   */
  List<QueueSystem> systems() {
    return systems.isEmpty() ? Systems.all() : systems.stream().map(Systems::byName).toList();
  }

  /** Returns the benchmark of a line. */
  Benchmark benchmark(Line line, Size size) {
    return new Benchmark(line.name(), line.text(), context -> measure(line, size, context));
  }

  private List<Row> measure(Line line, Size size, Context context) throws Exception {
    List<String> options = new ArrayList<>(List.of("-Xms" + heap, "-Xmx" + heap));
    options.addAll(jvm);
    Samples samples = Samples.ofSystems(line.table(), Line.BASE);
    try (Rounds rounds = new Rounds(samples, context)) {
      for (QueueSystem system : systems()) {
        if (system.supports(line.workOf(system))) {
          Context.Worker worker = rounds.closing(context.worker(options));
          rounds.add(system.name(), new LoadContender(line, system, size, context, worker));
        }
      }
      rounds.run(context.count(LoadContender.MOST_WARM_UPS, 0), context.rounds(ROUNDS));
    }
    return samples.rows(name -> line.note(Systems.byName(name)));
  }
}
