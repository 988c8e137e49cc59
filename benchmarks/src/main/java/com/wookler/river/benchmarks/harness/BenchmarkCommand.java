package com.wookler.river.benchmarks.harness;

import com.wookler.river.benchmarks.harness.Suite.Benchmark;
import com.wookler.river.common.Env;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Measures benchmarks of a suite one after the other, prints their rows and writes them. */
@Command(mixinStandardHelpOptions = true, sortOptions = false)
public final class BenchmarkCommand implements Callable<Integer> {
  private static final Duration WATCHED = Duration.ofSeconds(3);
  private static final Duration LIMIT = Duration.ofMinutes(6);
  private static final Duration FULL_LIMIT = Duration.ofHours(2);

  private final Suite suite;
  private final String typed; // empty for what the user typed

  @Option(
      names = "--only",
      arity = "1..*",
      split = ",",
      paramLabel = "NAME",
      description = "Measure these (all); --list lists them.")
  private List<String> only = List.of();

  @Option(names = "--list", description = "List what there is to measure, and measure nothing.")
  private boolean list;

  @Option(
      names = "--systems",
      arity = "1..*",
      split = ",",
      paramLabel = "NAME",
      description = "Systems that take part (all), where there are several. Ratios need the base.")
  private List<String> systems = List.of();

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description = "Rounds of each that count. Default: 3 to 5, by what one takes.")
  private @Nullable Integer rounds;

  @Option(
      names = {"--seconds", "--cap"},
      paramLabel = "N",
      description = "How long a round takes, or after which it is cut off.")
  private @Nullable Integer seconds;

  @Option(
      names = "--count-scale",
      paramLabel = "F",
      description = "Multiply the counts of messages by this (1), where the text has no number.")
  private double scale = 1;

  @Option(
      names = "--quick",
      description = "Tiny counts, one round, all in one JVM: the figures mean nothing.")
  private boolean quick;

  @Option(
      names = "--full",
      description = "Also measure what needs hours, or tens of gigabytes of disk.")
  private boolean full;

  @Option(
      names = "--directory",
      paramLabel = "DIR",
      description = "Below which the data is meanwhile (the temporary directory).")
  private @Nullable Path base;

  @Option(names = "--json", paramLabel = "FILE", description = "Write the results there.")
  private @Nullable Path json;

  @Option(
      names = "--jvm",
      paramLabel = "OPTION",
      description = "A further option for each JVM that works, such as -Xmx2g; may be repeated.")
  private List<String> jvm = new ArrayList<>();

  @Spec private CommandSpec spec;

  private boolean failed;

  @SuppressWarnings("NullAway.Init")
  private BenchmarkCommand(Suite suite, String typed) {
    this.suite = suite;
    this.typed = typed;
  }

  /** Returns the command of a suite. */
  public static CommandLine of(Suite suite) {
    return of(suite, "");
  }

  /** Returns the command of a suite, whose results say that this was typed. */
  static CommandLine of(Suite suite, String typed) {
    CommandLine command = new CommandLine(new BenchmarkCommand(suite, typed));
    command.setCommandName(suite.name());
    command.getCommandSpec().usageMessage().description(suite.description());
    return command;
  }

  @Override
  public Integer call() throws Exception {
    boolean tooFew = (rounds != null && rounds < 1) || (seconds != null && seconds < 1);
    if (tooFew || scale <= 0 || (quick && full)) {
      throw new UsageException(
          "--rounds and --seconds are at least 1, --count-scale is above 0, --quick excludes --full");
    }
    for (String system : systems) {
      if (!suite.systems().contains(system)) {
        throw new UsageException("no system '" + system + "'; there are " + suite.systems());
      }
    }
    List<Benchmark> chosen =
        only.isEmpty() ? suite.benchmarks() : only.stream().map(suite::benchmark).toList();
    PrintWriter out = spec.commandLine().getOut();
    if (list) {
      suite
          .benchmarks()
          .forEach(one -> out.println(Context.text("%-24s %s", one.name(), one.text())));
      if (!suite.systems().isEmpty()) {
        out.println("\nsystems: " + String.join(", ", suite.systems()));
      }
      return CommandLine.ExitCode.OK;
    }
    Path data = ThisJvm.createDirectory(base);
    boolean monitored = quick && Env.find().isEmpty(); // else each JVM has a monitor of its own
    try {
      if (monitored) {
        ThisJvm.startMonitor();
      }
      Run run = measure(chosen, data);
      out.println(run.describe());
      out.println(MarkdownTable.all(run.rows()));
      run.gaps().forEach(gap -> out.println("NOT MEASURED: " + gap));
      return failed ? CommandLine.ExitCode.SOFTWARE : CommandLine.ExitCode.OK;
    } finally {
      if (monitored) {
        Env.reset();
      }
      ThisJvm.delete(data);
    }
  }

  private Run measure(List<Benchmark> chosen, Path data) throws Exception {
    PrintWriter err = spec.commandLine().getErr();
    MachineLoad load = MachineLoad.measure(quick ? Duration.ofMillis(100) : WATCHED);
    if (!quick && !load.quiet()) {
      err.println("WARNING: the machine is not quiet: " + load);
    }
    Run run = Run.start(command(), data, load);
    List<Row> rows = new ArrayList<>();
    List<Run.Gap> gaps = new ArrayList<>();
    long started = System.nanoTime();
    for (Benchmark benchmark : chosen) {
      err.println(benchmark.text());
      Path own = Files.createDirectory(data.resolve(benchmark.name()));
      String reason = measure(benchmark, context(own), rows);
      if (!reason.isEmpty()) {
        gaps.add(new Run.Gap(benchmark.table(), benchmark.text(), reason));
      }
      run = run.with(Duration.ofNanos(System.nanoTime() - started), rows, gaps);
      err.println(Context.text("%s: %d s so far", benchmark.name(), run.seconds()));
      if (json != null) {
        run.write(json); // also if a later one fails
      }
      ThisJvm.delete(own);
    }
    return run;
  }

  /** Adds the rows of a benchmark; returns why there are none, or an empty text. */
  private String measure(Benchmark benchmark, Context context, List<Row> rows) {
    PrintWriter err = spec.commandLine().getErr();
    Duration limit = context.full() ? FULL_LIMIT : LIMIT;
    CompletableFuture<Void> end = new CompletableFuture<>();
    end.orTimeout(limit.toMillis(), TimeUnit.MILLISECONDS)
        .exceptionally(
            late -> {
              ProcessHandle.current().descendants().forEach(ProcessHandle::destroyForcibly);
              return null; // what waits for them fails then
            });
    try {
      rows.addAll(measure(benchmark, context));
      return "";
    } catch (Suite.SkippedException e) {
      err.println("SKIPPED: " + benchmark.text() + ": " + e.getMessage());
      return "skipped: " + e.getMessage();
    } catch (Exception e) {
      failed = true;
      String reason =
          end.isCompletedExceptionally()
              ? "took longer than " + limit.toMinutes() + " minutes"
              : Context.text("%s", e).lines().findFirst().orElse("");
      err.println("FAILED: " + benchmark.text() + ": " + reason);
      LoggerFactory.getLogger(BenchmarkCommand.class).error("Failed", e);
      return "failed: " + reason;
    } finally {
      end.complete(null);
    }
  }

  private String command() {
    List<String> arguments = spec.root().commandLine().getParseResult().originalArgs();
    return typed.isEmpty() ? "./river bench " + String.join(" ", arguments) : typed;
  }

  private Context context(Path data) {
    List<String> options = new ArrayList<>();
    String size = suite.jvm().heap();
    if (!size.isEmpty()) {
      options.addAll(List.of("-Xms" + size, "-Xmx" + size));
    }
    options.addAll(jvm);
    Context.Extent extent =
        quick ? Context.Extent.QUICK : full ? Context.Extent.FULL : Context.Extent.NORMAL;
    int length = seconds == null ? suite.jvm().seconds() : seconds;
    return new Context(
        data.toString(), extent, rounds == null ? 0 : rounds, length, scale, options);
  }

  private List<Row> measure(Benchmark benchmark, Context context) throws Exception {
    List<String> chosen = List.copyOf(systems); // it may go to another JVM
    if (!suite.jvm().one() || quick) {
      return benchmark.rows(context, chosen);
    }
    try (ChildJvm child = new ChildJvm(context.jvm())) {
      return child.ask(() -> new ArrayList<>(benchmark.rows(context, chosen)));
    }
  }
}
