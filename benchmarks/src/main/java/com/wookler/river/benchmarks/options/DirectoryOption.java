package com.wookler.river.benchmarks.options;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** {@code --directory DIR}: below which the data lies while a command runs. */
public final class DirectoryOption {
  @Option(
      names = "--directory",
      paramLabel = "DIR",
      description = "Below which the data lies meanwhile (the temporary directory).")
  private @Nullable Path base;

  /** Made by the command line, which sets the option. */
  public DirectoryOption() {}

  /** Makes a directory there, for the caller to delete. */
  public Path create(String prefix) throws IOException {
    Path parent = base == null ? Path.of(System.getProperty("java.io.tmpdir", "")) : base;
    return Files.createTempDirectory(Files.createDirectories(parent), prefix);
  }
}
