package com.wookler.river.crash;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A JVM of this class path with a main class of the kit; killed at the latest by close. */
public final class ChildProcess implements AutoCloseable {
  /** Exit value of what SIGKILL has ended. */
  public static final int KILLED = 128 + 9;

  private final Process process;
  private final Path output;

  private ChildProcess(Process process, Path output) {
    this.process = process;
    this.output = output;
  }

  /**
   * How to start it.
   *
   * @param jvmOptions for the JVM
   * @param front classes that are found before those of the class path, such as changed ones
   * @param environment variables beside those of this process
   */
  public record Launch(List<String> jvmOptions, List<Path> front, Map<String, String> environment) {
    /** As it is. */
    public static final Launch PLAIN = new Launch(List.of(), List.of(), Map.of());

    /** With these options. */
    public static Launch with(String... jvmOptions) {
      return new Launch(List.of(jvmOptions), List.of(), Map.of());
    }

    /** With one more directory of classes in front. */
    public Launch behind(Path classes) {
      List<Path> all = new ArrayList<>(front);
      all.add(0, classes);
      return new Launch(jvmOptions, all, environment);
    }

    /** With these variables in its environment. */
    public Launch in(Map<String, String> variables) {
      return new Launch(jvmOptions, front, variables);
    }

    private List<String> command() {
      List<String> command = new ArrayList<>();
      command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
      command.addAll(jvmOptions);
      command.add("-cp");
      StringBuilder path = new StringBuilder();
      for (Path classes : front) {
        path.append(classes).append(java.io.File.pathSeparator);
      }
      command.add(path.append(System.getProperty("java.class.path")).toString());
      return command;
    }
  }

  /** Starts it; what it writes to both outputs goes into the file. */
  public static ChildProcess start(
      Class<?> main, Path output, Launch launch, List<String> arguments) throws IOException {
    List<String> command = launch.command();
    command.add(main.getName());
    command.addAll(arguments);
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
    builder.environment().putAll(launch.environment());
    return new ChildProcess(builder.start(), output);
  }

  /** Starts a child JVM with a main class, and with its output in a file. */
  public static ChildProcess start(Class<?> main, Path output, Launch launch, String... arguments)
      throws IOException {
    return start(main, output, launch, Arrays.asList(arguments));
  }

  /** Ends with the process that started this one; never returns. For the child's main thread. */
  public static void endWithParent() throws IOException {
    while (System.in.read() >= 0) {
      // the pipe is at its end when the parent has ended
    }
    Runtime.getRuntime().halt(1);
  }

  /** Its process id. */
  public long pid() {
    return process.pid();
  }

  /** Whether it runs. */
  public boolean isAlive() {
    return process.isAlive();
  }

  /** Waits for its end; false if the time was over before. */
  public boolean awaitEnd(Duration timeout) throws InterruptedException {
    return process.waitFor(timeout.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** Sends SIGKILL, waits for the end, and returns the exit value. */
  public int kill() throws InterruptedException {
    return process.destroyForcibly().waitFor();
  }

  /** The exit value of a process that has ended. */
  public int exitValue() {
    return process.exitValue();
  }

  /** What it has written so far. */
  public String output() throws IOException {
    return Files.readString(output);
  }

  @Override
  public void close() {
    process.destroyForcibly().onExit().join();
  }
}
