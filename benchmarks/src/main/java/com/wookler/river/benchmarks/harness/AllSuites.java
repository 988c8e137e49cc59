package com.wookler.river.benchmarks.harness;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Measures all suites in turn, each into a file of the results. */
@Command(
    name = "all",
    description = {
      "Measures everything in turn into a file a suite below the results, deletes"
          + " the other results there, and makes the tables of the pages on performance.",
      "A line that fails is listed as failed, and all others are measured. It waits for a machine that"
          + " does nothing else, and refuses to begin if that takes longer than 3 minutes."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false)
public final class AllSuites implements Callable<Integer> {
  private static final Duration WATCHED = Duration.ofSeconds(5);
  private static final int WATCHES = 36;
  private static final String COMMAND = "./river bench all";

  private final List<Suite> suites;

  @Option(
      names = "--results",
      paramLabel = "DIR",
      description = "Where the results go. Default: benchmarks/results; with --quick nowhere.")
  private @Nullable Path results;

  @Option(
      names = "--quick",
      description = "Tiny counts, one round, all in one JVM: the figures mean nothing.")
  private boolean quick;

  @Option(
      names = "--full",
      description =
          "Also measure what needs hours, or tens of gigabytes of disk: all peers at all lines, and"
              + " 100 million messages.")
  private boolean full;

  @Option(names = "--busy", description = "Measure even if the machine does something else.")
  private boolean busy;

  @Option(
      names = "--directory",
      paramLabel = "DIR",
      description = "Below which the data is meanwhile (the temporary directory).")
  private @Nullable Path base;

  @Spec private CommandSpec spec;

  /** Creates it for these suites; the command line sets the options. */
  @SuppressWarnings("NullAway.Init")
  public AllSuites(List<Suite> suites) {
    this.suites = suites;
  }

  @Override
  public Integer call() throws Exception {
    if (!quick && !busy) {
      awaitQuiet();
    }
    Path directory = results;
    if (directory == null && !quick) {
      directory = Path.of(System.getProperty("river.root", "."), "benchmarks", "results");
    }
    PrintWriter err = spec.commandLine().getErr();
    long started = System.nanoTime();
    int code = CommandLine.ExitCode.OK;
    List<Path> written = new ArrayList<>();
    for (Suite suite : suites) {
      Path file = directory == null ? null : directory.resolve(suite.name() + ".json");
      code = Math.max(code, measure(suite, file));
      if (file != null) {
        written.add(file);
      }
      Duration so = Duration.ofNanos(System.nanoTime() - started);
      err.println(Context.text("%s measured; %d minutes so far", suite.name(), so.toMinutes()));
    }
    if (directory != null) {
      deleteOthers(directory, written);
    }
    if (results == null && !quick) {
      code = Math.max(code, new CommandLine(new Report()).setErr(err).execute());
    }
    return code;
  }

  private void awaitQuiet() throws IOException {
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

  private int measure(Suite suite, @Nullable Path file) throws Exception {
    List<String> arguments = new ArrayList<>();
    if (quick) {
      arguments.add("--quick");
    }
    if (full) {
      arguments.add("--full");
    }
    if (file != null) {
      arguments.addAll(List.of("--json", file.toString()));
    }
    if (base != null) {
      arguments.addAll(List.of("--directory", base.toString()));
    }
    CommandLine one =
        BenchmarkCommand.of(suite, COMMAND + (quick ? " --quick" : full ? " --full" : ""));
    one.setOut(spec.commandLine().getOut()).setErr(spec.commandLine().getErr());
    one.parseArgs(arguments.toArray(String[]::new));
    Callable<Integer> command = one.getCommand();
    return command.call();
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
}
