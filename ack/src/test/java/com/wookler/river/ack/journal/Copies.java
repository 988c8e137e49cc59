package com.wookler.river.ack.journal;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** Copies of a subscriber's directory as they would be found after a kill at this moment. */
public final class Copies {
  /** Whose the copied files are. */
  public static final Owner OWNER = new Owner(7);

  private Copies() {}

  public static Path of(Path directory) throws IOException {
    Path copy = Files.createTempDirectory(directory.toAbsolutePath().getParent(), "copy");
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
      for (Path file : files) {
        if (Files.isRegularFile(file)) {
          Files.copy(file, copy.resolve(file.getFileName()));
        }
      }
    }
    return copy;
  }
}
