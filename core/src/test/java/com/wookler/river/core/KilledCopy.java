package com.wookler.river.core;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** A copy of a directory in use, as a kill at this moment would leave it: every store is in it. */
final class KilledCopy {
  private KilledCopy() {}

  /**
   * Copies, but for lock files.
   *
   * @return false where files were written meanwhile, so that the copy is of no one moment
   */
  static boolean of(Path from, Path to) throws IOException {
    try {
      List<Path> before = files(from);
      for (Path file : before) {
        Path copy = to.resolve(from.relativize(file).toString());
        if (Files.isDirectory(file)) {
          Files.createDirectories(copy);
        } else {
          Files.copy(file, copy);
        }
      }
      for (Path file : before) {
        if (Files.isRegularFile(file)
            && Files.mismatch(file, to.resolve(from.relativize(file).toString())) >= 0) {
          return false;
        }
      }
      return files(from).equals(before);
    } catch (NoSuchFileException e) {
      return false;
    } catch (UncheckedIOException e) {
      if (e.getCause() instanceof NoSuchFileException) {
        return false;
      }
      throw e;
    }
  }

  private static List<Path> files(Path from) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      return files.filter(file -> !file.endsWith("LOCK")).sorted().toList();
    }
  }
}
