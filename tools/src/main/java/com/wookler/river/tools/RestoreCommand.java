package com.wookler.river.tools;

import com.wookler.river.common.utils.Amount;
import com.wookler.river.tools.inspect.BackupRestore;
import com.wookler.river.tools.inspect.BackupRestore.Result;
import com.wookler.river.tools.inspect.MessageSource;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Restores a queue from its backups. */
@Command(
    name = "restore",
    description = {
      "Makes a queue's directory of its backups, each proven against its seal.",
      "Exit code 1: a backup is damaged, and nothing was made; or one is missing in between."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class RestoreCommand implements Callable<Integer> {
  @Parameters(paramLabel = "BACKUP", description = "<backup.directory>/<queue>.")
  private Path backup;

  @Mixin private TargetOption target;
  @Mixin private IdOption id;

  @Spec private CommandSpec spec;

  /** Creates the command; picocli sets its parameters. */
  @SuppressWarnings("NullAway.Init")
  RestoreCommand() {}

  @Override
  public Integer call() throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    if (MessageSource.isQueue(backup)) {
      throw new ParameterException(
          spec.commandLine(),
          backup
              + " is a queue's own directory; restore makes a new queue of backups:"
              + " restore <backup.directory>/<queue> --to DIR. To copy a queue use salvage");
    }
    Result result;
    try (ConsoleProgressBar bar = new ConsoleProgressBar("restore")) {
      result = BackupRestore.restore(backup, id.queue(), target.directory(spec), bar);
    }
    result.missing().forEach(out::println);
    out.printf(
        Locale.ROOT,
        "%s: %s in %s, sequences %d to %d%n",
        result.directory(),
        Amount.grouped(result.messages(), "message"),
        Amount.grouped(result.blocks(), "block"),
        result.firstSequence(),
        result.nextSequence() - 1);
    return result.missing().isEmpty() ? Main.EXIT_OK : Main.EXIT_DAMAGED;
  }
}
