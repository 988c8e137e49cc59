package com.wookler.river.examples;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.examples.demo.DemoCommand;
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
import picocli.CommandLine.Option;

/**
 * Starts an example, or the demo. Exit code 0 if it went well, 2 with one line on standard error if
 * what was asked for makes no sense, 1 if it failed.
 */
@Command(
    name = "river-examples",
    description = "Starts one of River's examples.",
    mixinStandardHelpOptions = true,
    version = "1.0-SNAPSHOT",
    sortOptions = false,
    subcommands = {DemoCommand.class, LatencyCommand.class})
public final class Main implements Callable<Integer> {
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
      defaultValue = "1000000",
      description = "Messages in all, cycling through the input. Default: ${DEFAULT-VALUE}.")
  private long count;

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

  /** Runs and exits with the code that says how it went. */
  public static void main(String[] args) {
    // Reports have thousands separators and may hold any event's text: the same on every machine.
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
    if (count < 1 || producers < 1 || consumers < 1) {
      throw new UsageException("--count, --producers and --consumers are at least 1");
    }
    EventFile events = input == null ? EventFile.shipped() : EventFile.of(input);
    instantiate(example)
        .run(new ExampleOptions(config, events, count, producers, consumers, output));
    return CommandLine.ExitCode.OK;
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
      throw new UsageException("cannot make an instance of example " + name + ": " + e);
    }
  }
}
