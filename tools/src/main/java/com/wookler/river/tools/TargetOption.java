package com.wookler.river.tools;

import java.nio.file.Path;
import picocli.CommandLine.Option;

/** {@code --to DIR}: of all commands that make a queue's directory. */
final class TargetOption {
  @Option(
      names = "--to",
      paramLabel = "DIR",
      required = true,
      description = "Absent or empty; its last part is the new queue's name.")
  private Path directory;

  /** Made by the command line, which sets the option. */
  @SuppressWarnings("NullAway.Init")
  TargetOption() {}

  Path directory() {
    return directory;
  }
}
