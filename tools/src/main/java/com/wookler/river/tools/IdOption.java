package com.wookler.river.tools;

import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option {@code --id UUID} of all commands that read backups. */
final class IdOption {
  @Option(
      names = "--id",
      paramLabel = "UUID",
      description = "Which queue's backups, if there are those of several.")
  private @Nullable UUID id;

  /** Returns the queue's id, or null if the option was not given. */
  @Nullable UUID queue() {
    return id;
  }
}
