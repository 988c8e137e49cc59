package com.wookler.river.benchmarks;

import com.wookler.river.benchmarks.harness.BenchmarkCommand;
import com.wookler.river.benchmarks.harness.Report;
import com.wookler.river.benchmarks.harness.Suite;
import com.wookler.river.benchmarks.harness.UsageException;
import com.wookler.river.benchmarks.jmh.SmallPaths;
import com.wookler.river.benchmarks.load.Load;
import com.wookler.river.benchmarks.programs.Programs;
import com.wookler.river.benchmarks.rest.Rest;
import com.wookler.river.benchmarks.self.Reactors;
import com.wookler.river.benchmarks.self.Scale;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/**
 * Starts a benchmark. Exit code 0 if it went well, 2 with one line on standard error if what was
 * asked for makes no sense, 1 if it failed.
 */
@Command(
    name = "river bench",
    description = "Measures River beside other queues.",
    mixinStandardHelpOptions = true,
    version = "1.0-SNAPSHOT",
    sortOptions = false,
    subcommands = {
      Report.class,
      Programs.PutMany.class,
      Programs.ManyClients.class,
      Programs.Flood.class,
      Programs.Packing.class
    })
public final class Main implements Runnable {
  private static final List<Suite> SUITES =
      List.of(Load.RUN, Load.SUSTAINED, Scale.SUITE, Rest.SUITE, Reactors.SUITE, SmallPaths.SUITE);

  @Spec private CommandSpec spec;

  /** Made by {@link #run}; the command line sets what it is described by. */
  @SuppressWarnings("NullAway.Init")
  private Main() {}

  /** Runs and exits with the code that says how it went. */
  public static void main(String[] args) {
    PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
    PrintWriter err = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
    System.exit(run(out, err, args));
  }

  static int run(PrintWriter out, PrintWriter err, String... args) {
    CommandLine main = new CommandLine(new Main());
    main.addSubcommand("all", BenchmarkCommand.all(SUITES));
    SUITES.forEach(suite -> main.addSubcommand(suite.name(), BenchmarkCommand.of(suite)));
    return main.setOut(out)
        .setErr(err)
        .setParameterExceptionHandler((e, given) -> refuse(e.getCommandLine(), e.getMessage()))
        .setExecutionExceptionHandler((e, command, given) -> failed(command, e))
        .execute(args);
  }

  @Override
  public void run() {
    spec.commandLine().usage(spec.commandLine().getOut());
  }

  private static int refuse(CommandLine command, @Nullable String message) {
    String line = String.valueOf(message).lines().findFirst().orElse("");
    command
        .getErr()
        .println(command.getCommandName() + ": " + line + " (--help lists the options)");
    return CommandLine.ExitCode.USAGE;
  }

  private static int failed(CommandLine command, Exception e) {
    if (e instanceof UsageException) {
      return refuse(command, e.getMessage());
    }
    command.getErr().println(command.getCommandName() + " failed: " + e);
    LoggerFactory.getLogger(Main.class).error("Failed", e);
    return CommandLine.ExitCode.SOFTWARE;
  }
}
