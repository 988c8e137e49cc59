package com.wookler.river.benchmarks.harness;

import com.wookler.river.benchmarks.harness.Suite.Benchmark;
import com.wookler.river.common.Env;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * Measures benchmarks of a suite one after the other, prints their rows and writes them; or those
 * of all suites, each into a file of the results, from which the pages on performance are made.
 */
@Command(mixinStandardHelpOptions = true, sortOptions = false)
public final class BenchmarkCommand implements Callable<Integer> {
  private static final Duration WATCHED = Duration.ofSeconds(3);
  private static final int WATCHES = 60; // three minutes
  private static final Duration LIMIT = Duration.ofMinutes(6);
  private static final Duration FULL_LIMIT = Duration.ofHours(2);

  private final List<Suite> suites;
  private final boolean all;

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
      description =
          "Also measure what needs hours, or tens of gigabytes of disk; of all suites, all peers at"
              + " all lines.")
  private boolean full;

  @Option(
      names = "--busy",
      description = "Measure all suites even if the machine does something else.")
  private boolean busy;

  @Option(
      names = "--directory",
      paramLabel = "DIR",
      description = "Below which the data is meanwhile (the temporary directory).")
  private @Nullable Path base;

  @Option(names = "--json", paramLabel = "FILE", description = "Write the results of one suite.")
  private @Nullable Path json;

  @Option(
      names = "--results",
      paramLabel = "DIR",
      description =
          "Where the results of all suites go. Default: benchmarks/results; with --quick nowhere.")
  private @Nullable Path results;

  @Option(
      names = "--jvm",
      paramLabel = "OPTION",
      description = "A further option for each JVM that works, such as -Xmx2g; may be repeated.")
  private List<String> jvm = new ArrayList<>();

  @Spec private CommandSpec spec;

  private boolean failed;

  @SuppressWarnings("NullAway.Init")
  private BenchmarkCommand(List<Suite> suites, boolean all) {
    this.suites = suites;
    this.all = all;
  }

  /** Returns the command of a suite. */
  public static CommandLine of(Suite suite) {
    return command(new BenchmarkCommand(List.of(suite), false), suite.name(), suite.description());
  }

  /** Returns the command that measures all suites. */
  public static CommandLine all(List<Suite> suites) {
    return command(
        new BenchmarkCommand(suites, true),
        "all",
        "Measures everything in turn into a file a suite below the results, deletes the other"
            + " results there, and makes the tables of the pages on performance. A line that fails"
            + " is listed as failed, and all others are measured. It waits for a machine that does"
            + " nothing else, and refuses to begin if that takes longer than 3 minutes.");
  }

  private static CommandLine command(BenchmarkCommand of, String name, String description) {
    CommandLine command = new CommandLine(of);
    command.setCommandName(name);
    command.getCommandSpec().usageMessage().description(description);
    return command;
  }

  @Override
  public Integer call() throws Exception {
    check();
    PrintWriter err = spec.commandLine().getErr();
    if (list) {
      suites.forEach(this::list);
      return CommandLine.ExitCode.OK;
    }
    if (all && !quick && !busy) {
      awaitQuiet();
    }
    boolean pages = all && results == null && !quick && only.isEmpty();
    Path directory =
        pages ? Path.of(System.getProperty("river.root", "."), "benchmarks", "results") : results;
    long started = System.nanoTime();
    List<Path> written = new ArrayList<>();
    for (Suite suite : suites) {
      List<Benchmark> chosen = suite.chosen(only);
      Path file = directory == null ? json : directory.resolve(suite.name() + ".json");
      if (!chosen.isEmpty()) {
        measure(suite, chosen, file);
        written.addAll(Stream.ofNullable(file).toList());
        Duration so = Duration.ofNanos(System.nanoTime() - started);
        err.println(Context.text("%s measured; %d minutes so far", suite.name(), so.toMinutes()));
      }
    }
    if (directory != null && only.isEmpty()) {
      deleteOthers(directory, written);
    }
    int report = pages ? new CommandLine(new Report()).setErr(err).execute() : 0;
    return Math.max(report, failed ? CommandLine.ExitCode.SOFTWARE : CommandLine.ExitCode.OK);
  }

  private void check() {
    boolean tooFew = (rounds != null && rounds < 1) || (seconds != null && seconds < 1);
    if (tooFew || scale <= 0 || (quick && full)) {
      throw new UsageException(
          "--rounds and --seconds are at least 1, --count-scale is above 0, --quick excludes --full");
    }
    if (all ? json != null : results != null || busy) {
      throw new UsageException("--json is for one suite, --results and --busy are for all");
    }
    List<String> known = suites.stream().flatMap(suite -> suite.systems().stream()).toList();
    for (String system : systems) {
      if (!known.contains(system)) {
        throw new UsageException("no system '" + system + "'; there are " + known);
      }
    }
    for (String name : only) {
      if (suites.stream().allMatch(suite -> suite.chosen(List.of(name)).isEmpty())) {
        throw new UsageException("no line '" + name + "' (--list lists them)");
      }
    }
  }

  private void list(Suite suite) {
    PrintWriter out = spec.commandLine().getOut();
    suite
        .benchmarks()
        .forEach(one -> out.println(Context.text("%-24s %s", one.name(), one.text())));
    if (!suite.systems().isEmpty()) {
      out.println("\nsystems: " + String.join(", ", suite.systems()));
    }
  }

  private static void awaitQuiet() throws IOException {
    MachineLoad load = MachineLoad.measure(WATCHED);
    for (int i = 1; i < WATCHES && !load.quiet(); i++) {
      load = MachineLoad.measure(WATCHED);
    }
    if (!load.quiet()) {
      throw new UsageException(
          "the machine is not quiet: "
              + load
              + "; wait, or take --busy and figures that mean less");
    }
  }

  /** Deletes results that those of this run replace: the page is of one run. */
  private static void deleteOthers(Path directory, List<Path> written) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.toList()) {
        if (file.toString().endsWith(".json") && !written.contains(file)) {
          Files.delete(file);
        }
      }
    }
  }

  private void measure(Suite suite, List<Benchmark> chosen, @Nullable Path file) throws Exception {
    PrintWriter out = spec.commandLine().getOut();
    Path data = ThisJvm.createDirectory(base);
    boolean monitored = quick && Env.find().isEmpty(); // else each JVM has a monitor of its own
    try {
      if (monitored) {
        ThisJvm.startMonitor();
      }
      Run run = measure(suite, chosen, data, file);
      out.println(run.describe());
      out.println(MarkdownTable.all(run.rows()));
      run.gaps().forEach(gap -> out.println("NOT MEASURED: " + gap));
    } finally {
      if (monitored) {
        Env.reset();
      }
      ThisJvm.delete(data);
    }
  }

  private Run measure(Suite suite, List<Benchmark> chosen, Path data, @Nullable Path file)
      throws Exception {
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
      String reason = measure(suite, benchmark, context(suite, own), rows);
      if (!reason.isEmpty()) {
        gaps.add(new Run.Gap(benchmark.table(), benchmark.text(), reason));
      }
      run = run.with(Duration.ofNanos(System.nanoTime() - started), rows, gaps);
      err.println(Context.text("%s: %d s so far", benchmark.name(), run.seconds()));
      if (file != null) {
        run.write(file); // also if a later one fails
      }
      ThisJvm.delete(own);
    }
    return run;
  }

  /** Adds the rows of a benchmark; returns why there are none, or an empty text. */
  private String measure(Suite suite, Benchmark benchmark, Context context, List<Row> rows) {
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
      rows.addAll(rows(suite, benchmark, context));
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

  /** Returns what was typed; of all suites what decides which lines there are. */
  private String command() {
    List<String> arguments = spec.root().commandLine().getParseResult().originalArgs();
    return "./river bench "
        + (all
            ? "all" + (quick ? " --quick" : full ? " --full" : "")
            : String.join(" ", arguments));
  }

  private Context context(Suite suite, Path data) {
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

  private List<Row> rows(Suite suite, Benchmark benchmark, Context context) throws Exception {
    List<String> chosen = List.copyOf(systems); // it may go to another JVM
    if (!suite.jvm().one() || quick) {
      return benchmark.rows(context, chosen);
    }
    try (ChildJvm child = new ChildJvm(context.jvm())) {
      return child.ask(() -> new ArrayList<>(benchmark.rows(context, chosen)));
    }
  }
}
