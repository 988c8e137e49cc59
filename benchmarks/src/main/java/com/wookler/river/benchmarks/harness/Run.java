package com.wookler.river.benchmarks.harness;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import com.wookler.river.common.TimeSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** What one command measured: one JSON file, committed below {@code benchmarks/results}. */
public record Run(String command, Instant date, String machine, List<Row> rows) {
  private static final ObjectMapper JSON =
      new ObjectMapper()
          .registerModule(new JavaTimeModule())
          .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
          .enable(SerializationFeature.INDENT_OUTPUT);

  /** Keeps a copy of the rows. */
  public Run {
    rows = List.copyOf(rows);
  }

  static Run of(String command, String machine, List<Row> rows) {
    Instant now = TimeSource.system().wallTime().truncatedTo(ChronoUnit.SECONDS);
    return new Run(command, now, machine, rows);
  }

  /** Reads one file. */
  public static Run read(Path file) throws IOException {
    return JSON.readValue(file.toFile(), Run.class);
  }

  /** Reads all {@code .json} files of a directory, by name; none if there is no directory. */
  static List<Run> readAll(Path directory) throws IOException {
    List<Run> runs = new ArrayList<>();
    if (Files.isDirectory(directory)) {
      try (Stream<Path> files = Files.list(directory)) {
        for (Path file : files.sorted().toList()) {
          if (file.toString().endsWith(".json")) {
            runs.add(read(file));
          }
        }
      }
    }
    return runs;
  }

  /** Writes one file, in place of what was there. */
  void write(Path file) throws IOException {
    Path directory = file.toAbsolutePath().getParent();
    if (directory != null) {
      Files.createDirectories(directory);
    }
    Files.writeString(file, JSON.writeValueAsString(this) + "\n");
  }
}
