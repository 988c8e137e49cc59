package com.wookler.river.rest.server;

import com.wookler.river.common.errors.RiverException;
import com.wookler.river.rest.server.hosting.RequestException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/**
 * Runs the server and manages its keys on the command line, {@code ./river server} and {@code
 * ./river keys}.
 */
@Command(
    name = "river",
    description = "Offers queues over HTTP.",
    mixinStandardHelpOptions = true,
    version = "1.0-SNAPSHOT",
    subcommands = {ServerCommand.class, KeysCommand.class})
public final class Main implements Runnable {
  static final int DONE = 0;
  static final int NOTHING = 1;
  static final int REFUSED = 2;

  private static final String LOGBACK = "logback.configurationFile";

  @Spec private CommandSpec spec;

  /** Creates the command for {@link #run}; picocli sets its specification. */
  @SuppressWarnings("NullAway.Init")
  private Main() {}

  /** Runs a command and exits with its exit code. */
  public static void main(String[] args) {
    if (System.getProperty(LOGBACK) == null) {
      System.setProperty(LOGBACK, "river-server-logback.xml"); // an application has its own
    }
    System.exit(run(System.out, System.err, args));
  }

  static int run(OutputStream out, OutputStream err, String... args) {
    return new CommandLine(new Main())
        .setOut(new PrintWriter(out, true, StandardCharsets.UTF_8))
        .setErr(new PrintWriter(err, true, StandardCharsets.UTF_8))
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
    return REFUSED;
  }

  private static int failed(CommandLine command, Exception e) {
    String name = command.getCommandName();
    LoggerFactory.getLogger(Main.class).debug("{} failed", name, e);
    boolean expected = e instanceof RiverException || e instanceof RequestException;
    command.getErr().println(expected ? name + ": " + e.getMessage() : name + " failed: " + e);
    return REFUSED;
  }
}
