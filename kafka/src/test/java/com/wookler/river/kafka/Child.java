package com.wookler.river.kafka;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A JVM of this class path, which can be killed. */
final class Child implements AutoCloseable {
  static final int KILLED = 128 + 9;

  private final Process process;
  private final Path output;

  private Child(Process process, Path output) {
    this.process = process;
    this.output = output;
  }

  static Child start(Class<?> main, Path output, String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(List.of(arguments));
    return new Child(
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()))
            .start(),
        output);
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** Returns whether it ended in time. */
  boolean awaitEnd(Duration time) throws InterruptedException {
    return process.waitFor(time.toMillis(), TimeUnit.MILLISECONDS);
  }

  int exitValue() {
    return process.exitValue();
  }

  int kill() throws InterruptedException {
    return process.destroyForcibly().waitFor();
  }

  String output() throws IOException {
    return Files.readString(output);
  }

  @Override
  public void close() {
    process.destroyForcibly().onExit().join();
  }
}
