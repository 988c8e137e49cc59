package com.wookler.river.rest.server;

import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Parses the command lines {@code ./river server} and {@code ./river keys}, and runs them. */
@Command(
    name = "river",
    description = "Offers queues over HTTP.",
    mixinStandardHelpOptions = true,
    version = "1.0-SNAPSHOT",
    subcommands = {ServerCommand.class, KeysCommand.class})
final class RiverCommand implements Runnable {
  @Spec private CommandSpec spec;

  /** Creates the command for {@link #run}; picocli sets its specification. */
  @SuppressWarnings("NullAway.Init")
  private RiverCommand() {}

  /** Runs a command, and returns its exit code. */
  static int run(OutputStream out, OutputStream err, String... args) {
    return new CommandLine(new RiverCommand())
        .setOut(new PrintWriter(out, true, StandardCharsets.UTF_8))
        .setErr(new PrintWriter(err, true, StandardCharsets.UTF_8))
        .setParameterExceptionHandler((e, given) -> refuse(e.getCommandLine(), e.getMessage()))
        .setExecutionExceptionHandler(
            (e, command, given) -> Main.failed(command.getErr(), command.getCommandName(), e))
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
    return Main.REFUSED;
  }
}
