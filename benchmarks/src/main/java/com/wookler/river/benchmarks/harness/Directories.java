package com.wookler.river.benchmarks.harness;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The directories of benchmarks. */
public final class Directories {
  private Directories() {}

  /** Creates a directory below another one; below the system's temporary directory if null. */
  public static Path create(@Nullable Path base) throws IOException {
    Path parent = base == null ? Path.of(System.getProperty("java.io.tmpdir", "")) : base;
    return Files.createTempDirectory(Files.createDirectories(parent), "river-bench-");
  }

  /** Deletes a directory with all that is in it. */
  public static void delete(Path directory) throws IOException {
    List<Path> all;
    try (Stream<Path> walk = Files.walk(directory)) {
      all = walk.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path path : all) {
      Files.deleteIfExists(path);
    }
  }
}
