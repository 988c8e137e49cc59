package com.wookler.river.tools;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The option {@code --to DIR} of all commands that create a queue's directory. */
final class TargetOption {
  @Option(
      names = "--to",
      paramLabel = "DIR",
      description = "Required. Absent or empty; its last part is the new queue's name.")
  private @Nullable Path directory;

  /** Returns the directory. The command calls it after it has checked its other parameters. */
  Path directory(CommandSpec command) {
    if (directory == null) {
      throw new ParameterException(
          command.commandLine(), "missing --to DIR, where the new queue's directory is to be");
    }
    return directory;
  }
}
