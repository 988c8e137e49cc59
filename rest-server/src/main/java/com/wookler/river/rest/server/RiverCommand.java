package com.wookler.river.rest.server;

import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

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
    CommandLine river = new CommandLine(new RiverCommand());
    setVersion(river, river.getCommandSpec().version());
    return river
        .registerConverter(Path.class, RiverCommand::path)
        .setOut(new PrintWriter(out, true, StandardCharsets.UTF_8))
        .setErr(new PrintWriter(err, true, StandardCharsets.UTF_8))
        .setParameterExceptionHandler((e, given) -> refuse(e.getCommandLine(), e.getMessage()))
        .setExecutionExceptionHandler(
            (e, command, given) -> Main.failed(command.getErr(), command.getCommandName(), e))
        .execute(args);
  }

  /** Gives all commands below one its version. */
  private static void setVersion(CommandLine command, String... version) {
    command.getCommandSpec().version(version);
    command.getSubcommands().values().forEach(each -> setVersion(each, version));
  }

  /** Reads a path; an empty one would be the working directory. */
  private static Path path(String text) {
    if (text.isBlank()) {
      throw new TypeConversionException("it is empty; give a path, or leave the option out");
    }
    return Path.of(text);
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
