package com.wookler.river.examples;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.examples.demo.DemoCommand;
import com.wookler.river.examples.utils.Directories;
import com.wookler.river.examples.utils.EventFile;
import com.wookler.river.examples.utils.UsageException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * Starts an example, or the demo. The exit code is 0 on success, 2 with one line on standard error
 * if the arguments are not valid, and 1 on a failure.
 */
@Command(
    name = "river-examples",
    description = "Starts one of River's examples.",
    mixinStandardHelpOptions = true,
    version = "1.0-SNAPSHOT",
    sortOptions = false,
    subcommands = {DemoCommand.class, LatencyCommand.class})
public final class Main implements Callable<Integer> {
  /** The system property with the directory of the configuration file, for files beside it. */
  private static final String CONFIG_DIRECTORY = "river.config.directory";

  /** The system property with the directory of the data. */
  private static final String DATA_DIRECTORY = "river.sample.directory";

  @Option(names = "--config", paramLabel = "FILE", description = "Configuration of the example.")
  private @Nullable Path config;

  @Option(
      names = "--example",
      paramLabel = "CLASS",
      description = "For instance com.wookler.river.examples.MessagePullSample.")
  private @Nullable String example;

  @Option(
      names = "--input",
      paramLabel = "FILE",
      description = "Messages: NDJSON, plain or gzip. Default: the 20,000 shipped events.")
  private @Nullable Path input;

  @Option(
      names = "--count",
      paramLabel = "N",
      description =
          "Messages in all, cycling through the input. Default: as the example says, at most"
              + " 1,000,000.")
  private @Nullable Long count;

  @Option(
      names = "--producers",
      paramLabel = "N",
      defaultValue = "1",
      description = "Publishing threads. Default: ${DEFAULT-VALUE}.")
  private int producers;

  @Option(
      names = "--consumers",
      paramLabel = "N",
      defaultValue = "3",
      description = "Consuming threads. Default: ${DEFAULT-VALUE}.")
  private int consumers;

  @Option(
      names = "--output",
      paramLabel = "DIR",
      description = "Directory to which each consumer writes its messages. Default: none.")
  private @Nullable Path output;

  @Option(
      names = "--directory",
      paramLabel = "DIR",
      description = {
        "Where the data is, which stays: ${sys:river.sample.directory} in the configuration.",
        "Default: a temporary directory, which is removed at the end."
      })
  private @Nullable Path directory;

  @Option(names = "--keep", description = "Keep the temporary directory.")
  private boolean keep;

  @Spec private CommandSpec spec;

  /** Creates the command; picocli sets its parameters. */
  @SuppressWarnings("NullAway.Init")
  private Main() {}

  /** Runs a command and exits with its exit code. */
  public static void main(String[] args) {
    // UTF-8 on every machine: reports may contain any text of an event.
    PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
    PrintWriter err = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
    System.exit(run(out, err, args));
  }

  static int run(PrintWriter out, PrintWriter err, String... args) {
    return new CommandLine(new Main())
        .setOut(out)
        .setErr(err)
        .setParameterExceptionHandler((e, given) -> refuse(e.getCommandLine(), e.getMessage()))
        .setExecutionExceptionHandler((e, command, given) -> failed(command, e))
        .execute(args);
  }

  private static int refuse(CommandLine command, @Nullable String message) {
    String line = String.valueOf(message).lines().findFirst().orElse("");
    command
        .getErr()
        .println(command.getCommandName() + ": " + line + " (--help lists the options)");
    return CommandLine.ExitCode.USAGE;
  }

  private static int failed(CommandLine command, Exception e) {
    if (e instanceof UsageException || e instanceof ConfigurationException) {
      command.getErr().println(command.getCommandName() + ": " + e.getMessage());
      return CommandLine.ExitCode.USAGE;
    }
    command.getErr().println(command.getCommandName() + " failed: " + e);
    LoggerFactory.getLogger(Main.class).error("Failed", e);
    return CommandLine.ExitCode.SOFTWARE;
  }

  @Override
  public Integer call() throws Exception {
    if (config == null) {
      throw new UsageException("missing option --config FILE (--help lists the options)");
    }
    if (example == null) {
      throw new UsageException("missing option --example CLASS (--help lists the options)");
    }
    if (!Files.isRegularFile(config) || !Files.isReadable(config)) {
      throw new UsageException("cannot read configuration file: " + config);
    }
    if ((count != null && count < 1) || producers < 1 || consumers < 1) {
      throw new UsageException("--count, --producers and --consumers are at least 1");
    }
    EventFile events = input == null ? EventFile.shipped() : EventFile.of(input);
    Example instance = instantiate(example);
    ExampleOptions options =
        new ExampleOptions(
            config,
            events,
            count == null ? instance.defaultCount() : count,
            producers,
            consumers,
            output);
    Path parent = config.toAbsolutePath().getParent();
    System.setProperty(CONFIG_DIRECTORY, String.valueOf(parent));
    try {
      inDirectory(instance, options);
    } finally {
      System.clearProperty(CONFIG_DIRECTORY);
    }
    return CommandLine.ExitCode.OK;
  }

  private void inDirectory(Example example, ExampleOptions options) throws Exception {
    Path data =
        directory == null ? Files.createTempDirectory("river-sample") : directory.toAbsolutePath();
    System.setProperty(DATA_DIRECTORY, data.toString());
    try {
      example.run(options);
    } finally {
      System.clearProperty(DATA_DIRECTORY);
      if (directory == null && keep) {
        spec.commandLine().getErr().println("The data is in " + data);
      } else if (directory == null) {
        Directories.delete(data);
      }
    }
  }

  private static Example instantiate(String name) {
    try {
      return Class.forName(name).asSubclass(Example.class).getConstructor().newInstance();
    } catch (ClassNotFoundException | LinkageError e) {
      throw new UsageException("no such example class: " + name);
    } catch (ClassCastException e) {
      throw new UsageException(
          "not an example, it does not implement " + Example.class + ": " + name);
    } catch (ReflectiveOperationException e) {
      throw new UsageException("cannot create an instance of example " + name + ": " + e);
    }
  }
}
