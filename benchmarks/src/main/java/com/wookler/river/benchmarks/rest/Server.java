package com.wookler.river.benchmarks.rest;

import com.wookler.river.benchmarks.harness.ChildJvm;
import com.wookler.river.benchmarks.harness.Directories;
import com.wookler.river.rest.client.RiverClient;
import com.wookler.river.rest.server.MeasuredServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** A server in a JVM of its own; its data are deleted with it. */
final class Server implements AutoCloseable {
  private final Path directory;
  private final ChildJvm process;
  private final int port;

  /**
   * Starts it.
   *
   * @param heap of its JVM
   * @param idle its limit of idle connections; zero for the default
   */
  Server(Path base, String heap, Duration idle) throws IOException {
    directory = Files.createTempDirectory(base, "server-");
    process = new ChildJvm(List.of("-Xmx" + heap, ChildJvm.WITHOUT_MONITOR));
    try {
      port =
          process.ask(
              new MeasuredServer.Start(directory.toString(), idle.toMillis()), Integer.class);
    } catch (IOException | RuntimeException e) {
      process.close();
      throw e;
    }
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

  MeasuredServer.State state() throws IOException {
    return process.ask(new MeasuredServer.Look(), MeasuredServer.State.class);
  }

  /** Returns what the operating system has in memory for it, in megabytes: {@code VmRSS}. */
  double residentMegabytes() throws IOException {
    Path status = Path.of("/proc", "" + process.process().pid(), "status");
    try (Stream<String> lines = Files.lines(status)) {
      return lines
              .filter(line -> line.startsWith("VmRSS:"))
              .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
              .sum()
          * 1_024
          / 1e6;
    }
  }

  /** Returns the processor time that it has used, in milliseconds. */
  double processorMillis() {
    return process.process().info().totalCpuDuration().orElse(Duration.ZERO).toNanos() / 1e6;
  }

  @Override
  public void close() throws IOException {
    try {
      process.ask(new MeasuredServer.Stop(), Boolean.class);
    } finally {
      process.close();
      Directories.delete(directory);
    }
  }
}
