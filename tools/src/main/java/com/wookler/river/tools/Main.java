package com.wookler.river.tools;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.errors.DamagedException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/**
 * Runs the command line tools. The exit code is 0 if everything is sound, 1 if something is damaged
 * or was lost, and 2, with one line on standard error, if the arguments are invalid or a file could
 * not be read or written.
 */
@Command(
    name = "river",
    description = "Looks at queues and backups on disk, and erases messages.",
    mixinStandardHelpOptions = true,
    version = Main.VERSION,
    sortOptions = false,
    subcommands = {
      VerifyCommand.class,
      InspectCommand.class,
      DumpCommand.class,
      SalvageCommand.class,
      RestoreCommand.class,
      ReplayCommand.class,
      EraseCommand.class
    })
public final class Main implements Runnable {
  static final String VERSION = "river 1.0-SNAPSHOT";
  static final int EXIT_OK = 0;
  static final int EXIT_DAMAGED = 1;
  static final int EXIT_ERROR = 2;

  private final OutputStream out;

  @Spec private CommandSpec spec;

  /** Creates the command for {@link #run}; picocli sets its specification. */
  @SuppressWarnings("NullAway.Init")
  private Main(OutputStream out) {
    this.out = out;
  }

  /** Runs a command and exits with its exit code. */
  public static void main(String[] args) {
    System.exit(run(System.out, System.err, args));
  }

  static int run(OutputStream out, OutputStream err, String... args) {
    CommandLine tools = new CommandLine(new Main(out));
    tools.getSubcommands().values().forEach(each -> each.getCommandSpec().version(VERSION));
    return tools
        .registerConverter(Path.class, Main::path)
        .setOut(new PrintWriter(out, true, StandardCharsets.UTF_8))
        .setErr(new PrintWriter(err, true, StandardCharsets.UTF_8))
        .setParameterExceptionHandler((e, given) -> refuse(e.getCommandLine(), e.getMessage()))
        .setExecutionExceptionHandler((e, command, given) -> failed(command, e))
        .execute(args);
  }

  /** Reads a path; an empty one would be the working directory. */
  private static Path path(String text) {
    if (text.isBlank()) {
      throw new TypeConversionException("it is empty; give a path");
    }
    return Path.of(text);
  }

  /** Returns all commands by name. */
  static Map<String, CommandLine> commands() {
    return new CommandLine(new Main(OutputStream.nullOutputStream())).getSubcommands();
  }

  @Override
  public void run() {
    spec.commandLine().usage(spec.commandLine().getOut());
  }

  /** Returns standard output, for binary data. */
  OutputStream out() {
    return out;
  }

  private static int refuse(CommandLine command, @Nullable String message) {
    String line = String.valueOf(message).lines().findFirst().orElse("");
    command
        .getErr()
        .println(command.getCommandName() + ": " + line + " (--help lists the options)");
    return EXIT_ERROR;
  }

  private static int failed(CommandLine command, Exception e) {
    String name = command.getCommandName();
    LoggerFactory.getLogger(Main.class).debug("{} failed", name, e);
    if (e instanceof DamagedException) {
      command.getErr().println(name + ": " + e.getMessage());
      return EXIT_DAMAGED;
    }
    if (e instanceof ConfigurationException) {
      command.getErr().println(name + ": " + e.getMessage());
    } else if (e instanceof NoSuchFileException) {
      command.getErr().println(name + ": there is no " + e.getMessage());
    } else {
      command.getErr().println(name + " failed: " + e);
    }
    return EXIT_ERROR;
  }
}
