package com.wookler.river.benchmarks.load;

import com.wookler.river.benchmarks.harness.Benchmark;
import com.wookler.river.benchmarks.harness.BenchmarkCommand;
import com.wookler.river.benchmarks.harness.Context;
import com.wookler.river.benchmarks.harness.Rounds;
import com.wookler.river.benchmarks.harness.Samples;
import com.wookler.river.benchmarks.load.LoadContender.Size;
import com.wookler.river.benchmarks.report.Row;
import com.wookler.river.benchmarks.system.QueueSystem;
import com.wookler.river.benchmarks.system.Systems;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** A command that measures lines, each done by several systems in turn. */
abstract class LoadCommand extends BenchmarkCommand {
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

  @Override
  protected void check() {
    systems(); // refuses unknown names
  }

  private List<QueueSystem> systems() {
    return systems.isEmpty() ? Systems.all() : systems.stream().map(Systems::byName).toList();
  }

  /** Returns the benchmark of a line. */
  final Benchmark benchmark(Line line, Size size) {
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
