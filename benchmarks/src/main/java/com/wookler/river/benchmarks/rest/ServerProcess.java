package com.wookler.river.benchmarks.rest;

import com.wookler.river.benchmarks.utils.Directories;
import com.wookler.river.rest.client.RiverClient;
import com.wookler.river.rest.server.MeasuredServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A server in a JVM of its own, with the options of this one and its own; its data go with it. */
final class ServerProcess implements AutoCloseable {
  private static final long PATIENCE_SECONDS = 60;

  private final Process process;
  private final Path directory;
  private final BufferedReader answers;
  private final PrintWriter requests;
  private final int port;

  /**
   * What it says of itself.
   *
   * @param waiting long polls
   * @param threads as the JVM counts them
   * @param heapBytes in use after a collection
   */
  record State(int waiting, int threads, long heapBytes) {}

  private ServerProcess(Process process, Path directory) throws IOException {
    this.process = process;
    this.directory = directory;
    this.answers =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    this.requests = new PrintWriter(process.getOutputStream(), true, StandardCharsets.UTF_8);
    this.port = Integer.parseInt(answer());
  }

  /** Starts it and waits until it listens. */
  static ServerProcess start(Path base, List<String> options, List<String> arguments)
      throws IOException {
    Path directory = Files.createTempDirectory(base, "server-");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home", ""), "bin", "java").toString());
    command.addAll(inherited());
    command.addAll(options);
    command.addAll(List.of("-cp", System.getProperty("java.class.path", "")));
    command.addAll(List.of(MeasuredServer.class.getName(), directory.toString()));
    command.addAll(arguments);
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    try {
      return new ServerProcess(process, directory);
    } catch (IOException | RuntimeException e) {
      process.destroyForcibly();
      throw e;
    }
  }

  /** What this JVM was given, but for agents, which may not be there twice, and its heap. */
  private static List<String> inherited() {
    return ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(option -> Stream.of("-javaagent", "-agent", "-Xm").noneMatch(option::startsWith))
        .toList();
  }

  private String answer() throws IOException {
    String line = answers.readLine();
    if (line == null) {
      throw new IOException("the server has ended; standard error says why");
    }
    return line;
  }

  int port() {
    return port;
  }

  String url(String queue) {
    return "http://127.0.0.1:" + port + "/v1/queues/" + queue + "/messages";
  }

  RiverClient client() {
    return RiverClient.builder("http://127.0.0.1:" + port).build();
  }

  State state() throws IOException {
    requests.println();
    String[] figures = answer().split(" ", -1);
    return new State(
        Integer.parseInt(figures[0]), Integer.parseInt(figures[1]), Long.parseLong(figures[2]));
  }

  /** What the operating system has in memory for it, all counted: {@code VmRSS}. */
  long residentBytes() throws IOException {
    try (Stream<String> lines = Files.lines(Path.of("/proc", "" + process.pid(), "status"))) {
      return lines
              .filter(line -> line.startsWith("VmRSS:"))
              .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
              .sum()
          << 10;
    }
  }

  /** Processor time that it has used. */
  Duration processorTime() {
    return process.info().totalCpuDuration().orElse(Duration.ZERO);
  }

  @Override
  public void close() throws IOException {
    requests.close();
    try {
      if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
    answers.close();
    Directories.delete(directory);
  }
}
