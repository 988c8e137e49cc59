package com.wookler.river.rest.client;

import com.wookler.river.rest.server.RiverServer;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;

/** A server in a process of its own, which can be killed. */
final class ServerProcess {
  private final Path directory;
  private final int port;
  private Process process;

  ServerProcess(Path directory, int port) {
    this.directory = directory;
    this.port = port;
  }

  /** The child: serves until its parent is gone. */
  public static void main(String[] args) throws IOException {
    RiverServer server =
        RiverServer.builder().directory(Path.of(args[0])).port(Integer.parseInt(args[1])).start();
    while (System.in.read() >= 0) {
      Thread.onSpinWait();
    }
    server.close();
  }

  void start() throws IOException {
    process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                ServerProcess.class.getName(),
                directory.toString(),
                Integer.toString(port))
            .redirectErrorStream(true)
            .redirectOutput(new File(directory.toFile().getParentFile(), "server.log"))
            .start();
  }

  /** SIGKILL. */
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }
}
