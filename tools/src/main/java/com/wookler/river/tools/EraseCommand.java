package com.wookler.river.tools;

import com.wookler.river.common.utils.Amount;
import com.wookler.river.core.OfflineQueue;
import com.wookler.river.tools.inspect.EraseSelection;
import com.wookler.river.tools.inspect.Finding;
import com.wookler.river.tools.inspect.MessageSource;
import com.wookler.river.tools.inspect.QueueEraser;
import com.wookler.river.tools.inspect.QueueEraser.Erased;
import com.wookler.river.tools.inspect.QueueEraser.Result;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Overwrites messages in a queue's files and backups. */
@Command(
    name = "erase",
    description = {
      "Overwrites messages of a closed queue, and all copies of them in its files and backups.",
      "They keep their sequences, and subscribers pass them over. Exit code 1: something could not",
      "be searched."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class EraseCommand implements Callable<Integer> {
  private static final Pattern RANGE = Pattern.compile("(\\d{1,18})(?:-(\\d{1,18}))?");

  @Parameters(paramLabel = "DIR", description = "<queue.directory>/<queue>.")
  private Path directory;

  @Option(
      names = "--backup",
      paramLabel = "BACKUP",
      description = "The queue's backups, <backup.directory>/<queue>.")
  private @Nullable Path backup;

  @Option(
      names = "--sequence",
      paramLabel = "N[-M]",
      split = ",",
      description = "Messages by their sequences, as publish returned them.")
  private @Nullable List<String> sequences;

  @Option(names = "--id", paramLabel = "ID", description = "Messages with this id.")
  private @Nullable String id;

  @Option(names = "--key", paramLabel = "KEY", description = "All messages with this key.")
  private @Nullable String key;

  @Option(names = "--yes", description = "Erase; without it only say what would be erased.")
  private boolean yes;

  @Option(
      names = "--force",
      description = "Also if the queue was killed, and what it left was not recovered.")
  private boolean force;

  @Spec private CommandSpec spec;

  /** Creates the command; picocli sets its parameters. */
  @SuppressWarnings("NullAway.Init")
  EraseCommand() {}

  @Override
  public Integer call() throws IOException {
    EraseSelection selection = selection();
    if (!MessageSource.isQueue(directory)) {
      throw wrong(directory + " is not the directory of a queue");
    }
    try (OfflineQueue queue = OfflineQueue.lock(directory)) {
      if (!queue.wasClosed() && !force && !QueueEraser.isPending(directory)) {
        throw wrong(
            directory
                + " was not closed by its last process: open and close the queue once, so that it"
                + " is recovered, or add --force");
      }
      return erase(selection);
    }
  }

  private Integer erase(EraseSelection selection) throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    String word = yes ? "erased" : "would be erased";
    Result result;
    try (ConsoleProgressBar bar = new ConsoleProgressBar("erase")) {
      Consumer<Object> print = bar.aboveBar(out::println);
      QueueEraser.Sink sink =
          new QueueEraser.Sink() {
            @Override
            public void erased(Erased file) {
              print.accept(
                  file.file() + ": " + Amount.grouped(file.messages(), "message") + " " + word);
            }

            @Override
            public void finding(Finding finding) {
              print.accept(finding);
            }
          };
      result = QueueEraser.erase(directory, backup, selection, yes, sink, bar);
    }
    out.printf(
        "%s: %s %s in %s%s%n",
        directory,
        Amount.grouped(result.messages(), "message"),
        word,
        Amount.grouped(result.files(), "file"),
        yes || result.messages() == 0 ? "" : "; nothing was changed: add --yes");
    return result.unsearched() == 0 ? Main.EXIT_OK : Main.EXIT_DAMAGED;
  }

  private EraseSelection selection() {
    if (sequences == null && id == null && key == null) {
      throw wrong("missing --sequence, --id or --key: which messages to erase");
    }
    EraseSelection selection = EraseSelection.of(id, key);
    for (String text : sequences == null ? List.<String>of() : sequences) {
      Matcher range = RANGE.matcher(text);
      if (!range.matches()) {
        throw wrong("--sequence takes N or N-M, separated by commas, not " + text);
      }
      long first = Long.parseLong(range.group(1));
      long last = range.group(2) == null ? first : Long.parseLong(range.group(2));
      if (last < first) {
        throw wrong("--sequence " + text + " ends before it begins");
      }
      selection.add(first, last);
    }
    return selection;
  }

  private ParameterException wrong(String what) {
    return new ParameterException(spec.commandLine(), what);
  }
}
