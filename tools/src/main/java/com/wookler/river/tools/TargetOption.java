package com.wookler.river.tools;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** {@code --to DIR}: of all commands that make a queue's directory. */
final class TargetOption {
  @Option(
      names = "--to",
      paramLabel = "DIR",
      description = "Required. Absent or empty; its last part is the new queue's name.")
  private @Nullable Path directory;

  /** Asked for by the command, which may have said before that its parameter is the wrong one. */
  Path directory(CommandSpec command) {
    if (directory == null) {
      throw new ParameterException(
          command.commandLine(), "missing --to DIR, where the new queue's directory is to be");
    }
    return directory;
  }
}
