package com.wookler.river.benchmarks.load;

import com.wookler.river.benchmarks.harness.Context;
import com.wookler.river.benchmarks.harness.Rounds;
import com.wookler.river.benchmarks.harness.Suite;
import com.wookler.river.benchmarks.harness.Suite.Benchmark;
import com.wookler.river.benchmarks.system.QueueSystem;
import java.time.Duration;
import java.util.List;

/** The lines as benchmarks: each system does its rounds in a JVM of its own. */
public final class Load {
  private static final String SUSTAINED_TABLE = "sustained";
  private static final long WARM_UP_NANOS = 3_000_000_000L;

  /** All lines but the sustained one. */
  public static final Suite RUN =
      new Suite(
          "run",
          "Lines of work, each done by several systems in turn, as Markdown and JSON.",
          QueueSystem.names(),
          new Suite.Jvm(false, "1g", 2),
          benchmarks(false));

  /** The line that writes 6 GB in each round, or what a minute allows. */
  public static final Suite SUSTAINED =
      new Suite(
          SUSTAINED_TABLE,
          "Writes more than the page cache likes (6 GB), while a subscriber drains.",
          QueueSystem.names(),
          new Suite.Jvm(false, "1g", 60),
          benchmarks(true));

  private Load() {}

  private static List<Benchmark> benchmarks(boolean sustained) {
    return Line.ALL.stream()
        .filter(line -> line.table().equals(SUSTAINED_TABLE) == sustained)
        .map(
            line -> {
              String name = line.name();
              return new Benchmark(
                  name,
                  line.table(),
                  line.text(),
                  (context, rounds) -> measure(Line.named(name), context, rounds));
            })
        .toList();
  }

  private static void measure(Line line, Context context, Rounds rounds) throws Exception {
    rounds.ofSystems(QueueSystem.BASE, QueueSystem.SHARED, QueueSystem.LIMIT);
    rounds.note(system -> line.note(QueueSystem.named(system)));
    for (QueueSystem system : QueueSystem.ALL) {
      String name = system.name();
      boolean usual = !system.peer() || line.peers().contains(name);
      boolean asked = usual || context.full() || rounds.names(name);
      if (asked && rounds.wants(name) && line.suits(system)) {
        Context.Worker worker = rounds.closing(context.worker());
        rounds.add(
            name,
            into -> {
              LoadRound.Outcome outcome = round(line, name, context, worker, 1, context.quick());
              into.add(line.text(), line.figure().unit, outcome.figure(), outcome.extra());
            });
        long begin = System.nanoTime();
        for (int i = 0; System.nanoTime() - begin < WARM_UP_NANOS && !context.quick(); i++) {
          round(line, name, context, worker, 0.25, i == 0);
        }
      }
    }
    rounds.run(0, 3);
  }

  private static LoadRound.Outcome round(
      Line line, String system, Context context, Context.Worker worker, double share, boolean all)
      throws Exception {
    double scale = context.quick() ? 0 : context.scale() * share;
    long count = Math.round(Math.max(256, line.count() * scale)); // something for all batches
    long cap = context.round(Duration.ofSeconds(1)).toMillis();
    return worker.ask(new LoadRound(line.name(), system, context.data(), count, cap, all));
  }
}
