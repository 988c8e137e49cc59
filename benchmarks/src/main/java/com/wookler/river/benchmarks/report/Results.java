package com.wookler.river.benchmarks.report;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Runs as JSON files: one file a command, committed below {@code benchmarks/results}. */
public final class Results {
  private static final ObjectMapper JSON =
      new ObjectMapper()
          .registerModule(new JavaTimeModule())
          .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
          .enable(SerializationFeature.INDENT_OUTPUT);

  private Results() {}

  /** Reads one file. */
  public static Run read(Path file) throws IOException {
    return JSON.readValue(file.toFile(), Run.class);
  }

  /** Reads all {@code .json} files of a directory, by name; none if there is no directory. */
  public static List<Run> readAll(Path directory) throws IOException {
    List<Run> runs = new ArrayList<>();
    if (Files.isDirectory(directory)) {
      for (Path file : files(directory)) {
        runs.add(read(file));
      }
    }
    return runs;
  }

  /** Writes one file, in place of what was there. */
  public static void write(Path file, Run run) throws IOException {
    Path directory = file.toAbsolutePath().getParent();
    if (directory != null) {
      Files.createDirectories(directory);
    }
    Files.writeString(file, JSON.writeValueAsString(run) + "\n");
  }

  private static List<Path> files(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.filter(file -> file.toString().endsWith(".json")).sorted().toList();
    }
  }
}
