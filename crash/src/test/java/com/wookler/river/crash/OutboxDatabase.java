package com.wookler.river.crash;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.h2.tools.Server;

/** A database server that is started for a test, and ended without warning and started again. */
interface OutboxDatabase extends AutoCloseable {
  /** The URL at which it is reached. */
  String url();

  /** Ends it without warning and starts it again, with the same data. */
  void restart() throws IOException, InterruptedException;

  @Override
  void close() throws IOException;

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  /** A server of H2, which is killed. */
  static OutboxDatabase ofH2(Path directory) throws IOException {
    return new H2(directory, freePort());
  }

  /** A cluster of PostgreSQL of its own; empty where it is not installed. */
  static Optional<OutboxDatabase> ofPostgres() throws IOException {
    Optional<Path> programs = Postgres.programs();
    return programs.isEmpty()
        ? Optional.empty()
        : Optional.of(new Postgres(programs.get(), freePort()));
  }

  /** See {@link #ofH2}. */
  final class H2 implements OutboxDatabase {
    private final Path directory;
    private final int port;
    private ChildProcess process;

    H2(Path directory, int port) throws IOException {
      this.directory = directory;
      this.port = port;
      this.process = start();
    }

    private ChildProcess start() throws IOException {
      return ChildProcess.start(
          Server.class,
          directory.resolve("output-database"),
          ChildProcess.Launch.PLAIN,
          "-tcp",
          "-tcpPort",
          String.valueOf(port),
          "-ifNotExists",
          "-baseDir",
          directory.toString());
    }

    @Override
    public String url() {
      return "jdbc:h2:tcp://127.0.0.1:" + port + "/./database;WRITE_DELAY=0";
    }

    @Override
    public void restart() throws IOException, InterruptedException {
      process.kill();
      process = start();
    }

    @Override
    public void close() {
      process.close();
    }
  }

  /** See {@link #ofPostgres}. */
  final class Postgres implements OutboxDatabase {
    private final Path programs;
    private final int port;
    private final Path directory; // the server's own user reads it, so not in that of the test

    Postgres(Path programs, int port) throws IOException {
      this.programs = programs;
      this.port = port;
      this.directory = Files.createTempDirectory("river-postgres");
      if (isRoot()) {
        Files.setOwner(
            directory,
            directory
                .getFileSystem()
                .getUserPrincipalLookupService()
                .lookupPrincipalByName("postgres"));
      }
      run("initdb", "-U", "river", "--auth=trust", "-E", "UTF8");
      control("start");
    }

    static Optional<Path> programs() throws IOException {
      Path all = Path.of("/usr/lib/postgresql");
      if (!Files.isDirectory(all)) {
        return Optional.empty();
      }
      try (Stream<Path> versions = Files.list(all)) {
        return versions
            .map(version -> version.resolve("bin"))
            .filter(bin -> Files.isExecutable(bin.resolve("initdb")))
            .max(Comparator.naturalOrder());
      }
    }

    private static boolean isRoot() {
      return System.getProperty("user.name").equals("root");
    }

    private void run(String program, String... arguments) throws IOException {
      List<String> command = new ArrayList<>();
      if (isRoot()) {
        command.addAll(List.of("runuser", "-u", "postgres", "--"));
      }
      command.add(programs.resolve(program).toString());
      command.addAll(List.of("-D", directory.resolve("data").toString()));
      command.addAll(Arrays.asList(arguments));
      Path output = Files.createTempFile("river-postgres", ".out");
      try {
        int code =
            new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start()
                .onExit()
                .join()
                .exitValue();
        if (code != 0) {
          throw new IllegalStateException(
              command + " ended with " + code + ":\n" + Files.readString(output));
        }
      } finally {
        Files.delete(output);
      }
    }

    private void control(String verb) throws IOException {
      run(
          "pg_ctl",
          "-w",
          "-m",
          "immediate",
          "-l",
          directory.resolve("log").toString(),
          "-o",
          "-p " + port + " -c listen_addresses=127.0.0.1 -c unix_socket_directories=" + directory,
          verb);
    }

    @Override
    public String url() {
      return "jdbc:postgresql://127.0.0.1:" + port + "/postgres?user=river";
    }

    @Override
    public void restart() throws IOException {
      control("restart");
    }

    @Override
    public void close() throws IOException {
      run("pg_ctl", "-w", "-m", "immediate", "stop");
      try (Stream<Path> files = Files.walk(directory)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }
}
