package com.wookler.river.crash;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.wookler.river.common.TimeSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Lets system calls of a running process fail. */
final class Strace implements AutoCloseable {
  private static final Duration ATTACH = Duration.ofSeconds(10);
  private static final Pattern INJECTED =
      Pattern.compile("^\\d+ +(\\d+)\\.(\\d{6}) (?:<\\.\\.\\. )?(\\w+)[( ](.*)\\(INJECTED\\)$");

  private final Process process;
  private final Path log;

  private Strace(Process process, Path log) {
    this.process = process;
    this.log = log;
  }

  /**
   * A call that was made to fail.
   *
   * @param call its name
   * @param text its arguments, with the paths of descriptors
   * @param nanos when, on the machine's monotonic clock
   */
  record Injected(String call, String text, long nanos) {}

  /** Skips the test where processes cannot be traced. */
  static void assume() throws IOException, InterruptedException {
    assumeTrue(Shell.has("strace"), "SKIPPED: no strace to let system calls fail");
    assumeTrue(
        Shell.ask("strace", "-f", "-o", "/dev/null", "-e", "trace=write", "true").exit() == 0,
        "SKIPPED: strace may not trace processes here");
  }

  /**
   * From now on these calls, separated by commas, fail as told.
   *
   * @param of the files whose calls are meant, there or not yet; none: all calls
   */
  static Strace attach(ChildProcess child, String calls, String how, Path log, List<Path> of)
      throws IOException {
    Path said = log.resolveSibling(log.getFileName() + ".said");
    List<String> command = new ArrayList<>(List.of("strace", "-f", "-y", "-ttt"));
    command.addAll(List.of("-e", "trace=" + calls, "-e", "inject=" + calls + ":" + how));
    command.addAll(List.of("-e", "signal=none", "-o", log.toString()));
    for (Path file : of) {
      command.addAll(List.of("-P", file.toString()));
    }
    command.addAll(List.of("-p", Long.toString(child.pid())));
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(said.toFile()).start();
    Strace strace = new Strace(process, log);
    if (!Waiting.until(ATTACH, () -> Files.readString(said).contains("attached"))) {
      strace.close();
      throw new IOException("strace did not attach: " + Files.readString(said));
    }
    return strace;
  }

  /** What it has let fail so far. */
  List<Injected> injected() throws IOException {
    long wall = TimeSource.system().epochMicros();
    long nanos = TimeSource.system().nanoTime();
    List<Injected> all = new ArrayList<>();
    for (String line : Files.readAllLines(log)) {
      Matcher call = INJECTED.matcher(line);
      if (call.matches()) {
        long micros = Long.parseLong(call.group(1)) * 1_000_000 + Long.parseLong(call.group(2));
        all.add(new Injected(call.group(3), call.group(4), nanos - (wall - micros) * 1_000));
      }
    }
    return all;
  }

  @Override
  public void close() {
    process.destroy(); // it lets go of the process
    process.onExit().join();
  }
}
