package com.wookler.river.benchmarks.load;

import com.wookler.river.benchmarks.harness.Benchmark;
import com.wookler.river.benchmarks.harness.Context;
import com.wookler.river.benchmarks.harness.UsageException;
import com.wookler.river.benchmarks.load.LoadContender.Size;
import com.wookler.river.benchmarks.system.Systems;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures lines of work, each done by several systems in turn. */
@Command(
    name = "run",
    description = "Lines of work, each done by several systems in turn, as Markdown and JSON.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    showDefaultValues = true)
public final class RunCommand extends LoadCommand {
  @Option(names = "--count-scale", paramLabel = "F", description = "Multiply the counts by this.")
  private double scale = 1;

  @Option(names = "--cap", paramLabel = "SECONDS", description = "Cut rounds off after this.")
  private int cap = 10;

  @Override
  protected List<Benchmark> benchmarks() {
    Size size = new Size(scale, Duration.ofSeconds(cap), null);
    return Lines.every().stream().map(line -> benchmark(line, size)).toList();
  }

  @Override
  protected List<Benchmark> byDefault() {
    return benchmarks().stream().filter(one -> !one.name().equals(Lines.SUSTAINED)).toList();
  }

  @Override
  protected void check() {
    if (scale <= 0 || cap < 1) {
      throw new UsageException("--count-scale is above 0, --cap at least 1");
    }
    super.check();
  }

  @Override
  protected void list(PrintWriter out) {
    super.list(out);
    out.println();
    Systems.all().forEach(one -> out.println(Context.text("%-24s %s", one.name(), one.notes())));
  }
}
