package com.wookler.river.benchmarks.harness;

import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import com.wookler.river.common.TimeSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * What one command measured: one JSON file, committed below {@code benchmarks/results}.
 *
 * @param machine with its system and JDK
 * @param commit of what was measured; empty if that was not recorded
 * @param load of the machine just before; empty if that was not recorded
 * @param seconds that it took so far; 0 if that was not recorded
 * @param gaps what could not be measured
 */
public record Run(
    String command,
    Instant date,
    String machine,
    @JsonSetter(nulls = Nulls.AS_EMPTY) String commit,
    @JsonSetter(nulls = Nulls.AS_EMPTY) String load,
    long seconds,
    List<Row> rows,
    @JsonSetter(nulls = Nulls.AS_EMPTY) List<Gap> gaps) {
  private static final ObjectMapper JSON =
      new ObjectMapper()
          .registerModule(new JavaTimeModule())
          .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
          .enable(SerializationFeature.INDENT_OUTPUT);

  /**
   * A benchmark without a figure.
   *
   * @param table that would show it
   */
  record Gap(String table, String text, String reason) {
    @Override
    public String toString() {
      return text + " (" + reason + ")";
    }
  }

  /** Keeps a copy of the rows and gaps. */
  public Run {
    rows = List.copyOf(rows);
    gaps = List.copyOf(gaps);
  }

  /** Returns what a run of this moment has, without rows. */
  static Run start(String command, Path data, MachineLoad load) throws IOException {
    Instant now = TimeSource.system().wallTime().truncatedTo(ChronoUnit.SECONDS);
    String state = load.toString();
    return new Run(
        command, now, ThisJvm.describe(data), ThisJvm.commit(), state, 0, List.of(), List.of());
  }

  /** Returns it with these rows and gaps, after a time. */
  Run with(Duration time, List<Row> measured, List<Gap> without) {
    return new Run(command, date, machine, commit, load, time.toSeconds(), measured, without);
  }

  /** Returns what the head of its tables says. */
  String describe() {
    String day = date.toString().substring(0, "2026-01-01".length());
    String state = commit.isEmpty() ? "" : "commit " + commit + ", ";
    return Context.text(
        "`%s`, %s, %s%s%s", command, day, state, machine, load.isEmpty() ? "" : ", " + load);
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
