package com.wookler.river.rest.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** {@code ./river server} in a process of its own, with a heap of a given size. */
final class ServerProcess implements AutoCloseable {
  private static final int FIRST_THAT_WARNS = 24; // of what Chronicle Queue does with memory
  private static final Pattern PORT = Pattern.compile("at port ([0-9]+)[;.]");

  private final Path directory;
  private final Process process;
  private final BufferedReader out;
  private final int port;

  /** Starts it, and returns when it listens. */
  ServerProcess(Path directory, List<String> jvm, String... arguments) throws IOException {
    this.directory = directory;
    this.process = start(directory, jvm, arguments);
    this.out =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    this.port = nextPort();
  }

  /** Returns the port that it names next: of HTTP, and then of memcache's protocol. */
  int nextPort() throws IOException {
    String line = out.readLine();
    assertThat(line).as(errors()).isNotNull();
    Matcher matcher = PORT.matcher(line);
    assertThat(matcher.find()).as(line).isTrue();
    return Integer.parseInt(matcher.group(1));
  }

  /** Returns the bytes of objects that it still needs. */
  long liveBytes() throws IOException, InterruptedException {
    Process jcmd =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                String.valueOf(process.pid()),
                "GC.class_histogram") // which collects the rest first
            .redirectErrorStream(true)
            .start();
    List<String> lines;
    try (BufferedReader reader = jcmd.inputReader(StandardCharsets.UTF_8)) {
      lines = reader.lines().toList();
    }
    assertThat(jcmd.waitFor()).isZero();
    String total = lines.get(lines.size() - 1);
    assertThat(total).startsWith("Total ");
    return Long.parseLong(total.substring(total.lastIndexOf(' ') + 1));
  }

  int threads() throws IOException {
    return entries("task");
  }

  int descriptors() throws IOException {
    return entries("fd");
  }

  private int entries(String directory) throws IOException {
    try (Stream<Path> all =
        Files.list(Path.of("/proc", String.valueOf(process.pid()), directory))) {
      return (int) all.count();
    }
  }

  /** Returns its exit code once it has ended by itself. */
  int awaitEnd() throws InterruptedException {
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).as("ends by itself").isTrue();
    return process.exitValue();
  }

  /** Returns what the system has in memory for it. */
  long residentBytes() throws IOException {
    Path status = Path.of("/proc", String.valueOf(process.pid()), "status");
    return Files.readAllLines(status).stream()
        .filter(line -> line.startsWith("VmRSS:"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) << 10)
        .sum();
  }

  /** Starts the command line as {@code ./river} does. */
  static Process start(Path directory, List<String> jvm, String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    if (Runtime.version().feature() >= FIRST_THAT_WARNS) { // as ./river does
      command.add("--sun-misc-unsafe-memory-access=allow");
      command.add("--enable-native-access=ALL-UNNAMED");
    }
    command.addAll(jvm);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command)
        .directory(directory.toFile())
        .redirectError(ProcessBuilder.Redirect.appendTo(directory.resolve("err").toFile()))
        .start();
  }

  int port() {
    return port;
  }

  /** What it, and those before it in this directory, have written to standard error. */
  String errors() throws IOException {
    return Files.readString(directory.resolve("err"));
  }

  /** Sends it SIGHUP. */
  void hangUp() throws IOException, InterruptedException {
    Process kill =
        new ProcessBuilder("kill", "-HUP", String.valueOf(process.pid())).inheritIO().start();
    assertThat(kill.waitFor()).isZero();
  }

  /** Ends it by SIGTERM; returns its exit code. */
  int terminate() throws InterruptedException {
    process.destroy();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).as("ends after SIGTERM").isTrue();
    return process.exitValue();
  }

  /** Ends it by SIGKILL. */
  void kill() throws InterruptedException {
    assertThat(process.destroyForcibly().waitFor(60, TimeUnit.SECONDS)).isTrue();
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
