package com.wookler.river.examples.kafka;

import com.wookler.river.common.MonitoredThread;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A JVM with the class path of this one, which ends with it and can be killed. */
final class ChildProcess implements AutoCloseable {
  private final Process process;

  private ChildProcess(Process process) {
    this.process = process;
  }

  /** Starts a main class; what it prints is appended to a file. */
  static ChildProcess start(Class<?> main, Path output, String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx384m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(List.of(arguments));
    return new ChildProcess(
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()))
            .start());
  }

  /** Called in the child: ends it when the pipe from its parent ends, however the parent does. */
  static void endWithParent() {
    new MonitoredThread("parent", ChildProcess::awaitEndOfInput).start();
  }

  private static void awaitEndOfInput() {
    try {
      while (System.in.read() >= 0) {
        // The parent writes nothing.
      }
    } catch (IOException e) {
      // So it has ended.
    }
    Runtime.getRuntime().halt(1);
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** Ends it as {@code kill -9} does. */
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /** Waits for its end; returns its exit code. */
  int join() throws InterruptedException {
    return process.waitFor();
  }

  @Override
  public void close() {
    process.destroyForcibly().onExit().join();
  }
}
