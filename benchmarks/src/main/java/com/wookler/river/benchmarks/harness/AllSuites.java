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
      "Measures everything in turn, two to three hours, into a file a suite below the results, and"
          + " deletes the other results there. ./river bench report then makes the tables of them.",
      "It refuses to begin on a machine that does something else."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false)
public final class AllSuites implements Callable<Integer> {
  private static final Duration WATCHED = Duration.ofSeconds(5);
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
    MachineLoad load = MachineLoad.measure(quick ? Duration.ofMillis(100) : WATCHED);
    if (!quick && !busy && !load.quiet()) {
      throw new UsageException(
          "the machine is not quiet: "
              + load
              + "; wait, or take --busy and figures that mean less");
    }
    Path directory = results;
    if (directory == null && !quick) {
      directory = Path.of(System.getProperty("river.root", "."), "benchmarks", "results");
    }
    PrintWriter err = spec.commandLine().getErr();
    long started = System.nanoTime();
    List<Path> written = new ArrayList<>();
    for (Suite suite : suites) {
      Path file = directory == null ? null : directory.resolve(suite.name() + ".json");
      measure(suite, file);
      if (file != null) {
        written.add(file);
      }
      Duration so = Duration.ofNanos(System.nanoTime() - started);
      err.println(Context.text("%s measured; %d minutes so far", suite.name(), so.toMinutes()));
    }
    if (directory != null) {
      deleteOthers(directory, written);
    }
    return CommandLine.ExitCode.OK;
  }

  private void measure(Suite suite, @Nullable Path file) throws Exception {
    List<String> arguments = new ArrayList<>();
    if (quick) {
      arguments.add("--quick");
    }
    if (file != null) {
      arguments.addAll(List.of("--json", file.toString()));
    }
    if (base != null) {
      arguments.addAll(List.of("--directory", base.toString()));
    }
    CommandLine one = BenchmarkCommand.of(suite, COMMAND + (quick ? " --quick" : ""));
    one.setOut(spec.commandLine().getOut()).setErr(spec.commandLine().getErr());
    one.parseArgs(arguments.toArray(String[]::new));
    Callable<Integer> command = one.getCommand();
    command.call();
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
