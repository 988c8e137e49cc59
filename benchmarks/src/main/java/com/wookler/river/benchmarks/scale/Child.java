package com.wookler.river.benchmarks.scale;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A main class in a JVM of its own, which answers in a file. What it logs goes to our own log. */
final class Child {
  private static final Duration PATIENCE = Duration.ofHours(6);

  private Child() {}

  /**
   * Runs it to its end.
   *
   * @param options for the JVM, behind those that this one was given
   * @throws IOException it could not be started, or failed
   */
  static void run(Class<?> main, List<String> options, List<String> arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(inherited());
    command.addAll(options);
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(main.getName());
    command.addAll(arguments);
    Process process =
        new ProcessBuilder(command)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try {
      boolean ended = process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      if (!ended || process.exitValue() != 0) {
        throw new IOException(
            main.getSimpleName() + " " + arguments + (ended ? " failed" : " did not end"));
      }
    } finally {
      process.destroyForcibly();
    }
  }

  /** What this JVM was given, but for agents, which may not be there twice. */
  private static List<String> inherited() {
    return ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(option -> !option.startsWith("-javaagent") && !option.startsWith("-agent"))
        .toList();
  }

  /** An answer of one number a line. */
  static List<Double> numbers(Path file) throws IOException {
    return Files.readAllLines(file).stream().map(Double::valueOf).toList();
  }
}
