package com.wookler.river.tools;

import com.wookler.river.common.utils.Amount;
import com.wookler.river.tools.inspect.QueueSalvage;
import com.wookler.river.tools.inspect.QueueSalvage.Result;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Copies all messages whose checksum is valid into a new queue's directory. */
@Command(
    name = "salvage",
    description = {
      "Copies everything that can be proven of a queue, or of backups, into a new queue's",
      "directory, and prints exactly what was lost. Exit code 0: nothing; 1: something."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class SalvageCommand implements Callable<Integer> {
  @Parameters(
      paramLabel = "DIR|BACKUP",
      description = "<queue.directory>/<queue>, or <backup.directory>/<queue>; only read.")
  private Path directory;

  @Mixin private TargetOption target;
  @Mixin private IdOption id;

  @Spec private CommandSpec spec;

  /** Creates the command; picocli sets its parameters. */
  @SuppressWarnings("NullAway.Init")
  SalvageCommand() {}

  @Override
  public Integer call() throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    Result result;
    try (ConsoleProgressBar bar = new ConsoleProgressBar("salvage")) {
      result =
          QueueSalvage.salvage(
              directory, id.queue(), target.directory(spec), bar.aboveBar(out::println), bar);
    }
    out.printf(
        Locale.ROOT,
        "%s: %s in %s, %s; %s lost%n",
        result.directory(),
        Amount.grouped(result.messages(), "message"),
        Amount.grouped(result.blocks(), "block"),
        Amount.grouped(result.subscribers(), "subscriber"),
        Amount.grouped(result.lost(), "message"));
    return result.lost() == 0 ? Main.EXIT_OK : Main.EXIT_DAMAGED;
  }
}
