package com.wookler.river.benchmarks.rest;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How much is measured, and where. Confined to one thread. */
final class RestLab implements AutoCloseable {
  /** Table that all rows belong to. */
  static final String TABLE = "rest";

  /** System that all rows are of, but for those that it is compared with. */
  static final String RIVER = "river";

  /** Of the server to which is published. */
  static final String HEAP = "512m";

  private final Path directory;
  private final int rounds;
  private final Duration round;
  private final boolean quick;
  private @Nullable ServerProcess shared;

  /**
   * @param directory below which each server has its data
   * @param rounds of each system that count
   * @param round how long one takes
   * @param quick tiny figures, which mean nothing
   */
  RestLab(Path directory, int rounds, Duration round, boolean quick) {
    this.directory = directory;
    this.rounds = rounds;
    this.round = round;
    this.quick = quick;
  }

  Path directory() {
    return directory;
  }

  int rounds() {
    return rounds;
  }

  Duration round() {
    return round;
  }

  boolean quick() {
    return quick;
  }

  /** A server with a directory and a heap of its own; what else {@code MeasuredServer} is told. */
  ServerProcess server(String heap, String... arguments) throws IOException {
    return ServerProcess.start(directory, List.of("-Xmx" + heap), List.of(arguments));
  }

  /** The server to which is published: one for all lines, because compiling it takes a while. */
  ServerProcess shared() throws IOException {
    if (shared == null) {
      shared = server(HEAP);
    }
    return shared;
  }

  @Override
  public void close() throws IOException {
    if (shared != null) {
      shared.close();
    }
  }
}
