package com.wookler.river.crash;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine;

/** Starts {@code ./river crash}. */
public final class Main {
  private Main() {}

  /** Runs and exits with the code that says how it went. */
  public static void main(String[] args) {
    PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
    PrintWriter err = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
    System.exit(run(out, err, args));
  }

  static int run(PrintWriter out, PrintWriter err, String... args) {
    return new CommandLine(new CrashCommand())
        .setOut(out)
        .setErr(err)
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setExecutionExceptionHandler(
            (e, command, given) -> {
              command.getErr().println(command.getCommandName() + " failed: " + e);
              return CommandLine.ExitCode.SOFTWARE;
            })
        .execute(args);
  }
}
