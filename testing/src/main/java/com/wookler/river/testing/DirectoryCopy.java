package com.wookler.river.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** A copy of a directory that nothing writes to meanwhile. */
public final class DirectoryCopy {
  private DirectoryCopy() {}

  /** Copies all files, also those that are empty or sparse, to a directory that may be new. */
  public static void of(Path from, Path to) throws IOException {
    try (Stream<Path> all = Files.walk(from)) {
      for (Path file : all.toList()) {
        Path target = to.resolve(from.relativize(file).toString());
        if (Files.isDirectory(file)) {
          Files.createDirectories(target);
        } else {
          Files.copy(file, target);
        }
      }
    }
  }
}
