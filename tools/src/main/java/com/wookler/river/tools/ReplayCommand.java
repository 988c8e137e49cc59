package com.wookler.river.tools;

import com.wookler.river.common.utils.Amount;
import com.wookler.river.tools.inspect.MessageSource;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Publishes the messages of a queue or of backups into another queue. */
@Command(
    name = "replay",
    description = {
      "Publishes the messages of a queue or of backups into another queue, in order.",
      "Records how far it is, and continues there if it is started again."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class ReplayCommand implements Callable<Integer> {
  @Parameters(
      paramLabel = "BACKUP|DIR",
      description = "<backup.directory>/<queue>, or <queue.directory>/<queue>.")
  private Path directory;

  @Option(
      names = "--queue",
      paramLabel = "NAME",
      required = true,
      description = "The queue to publish into; made if it is not there.")
  private String queue;

  @Option(
      names = "--to",
      paramLabel = "DIR",
      required = true,
      description = "Base directory of that queue. It must not be open elsewhere.")
  private Path target;

  @Option(
      names = "--from",
      paramLabel = "SEQ|TIME",
      description = "First sequence, or publish time like 2026-11-20T10:00:00Z. Default: all.")
  private @Nullable String from;

  @Option(
      names = "--until",
      paramLabel = "SEQ|TIME",
      description = "Last sequence, or the publish time to stop before. Default: all.")
  private @Nullable String until;

  @Option(
      names = "--rate",
      paramLabel = "N",
      defaultValue = "0",
      description = "Messages a second at most. Default: as fast as it goes.")
  private long rate;

  @Mixin private IdOption id;

  @Spec private CommandSpec spec;

  /** Creates the command; picocli sets its parameters. */
  @SuppressWarnings("NullAway.Init")
  ReplayCommand() {}

  @Override
  public Integer call() throws IOException {
    if (rate < 0) {
      throw new ParameterException(spec.commandLine(), "--rate is " + rate);
    }
    MessageRange range =
        new MessageRange(bound("--from", from, 0), bound("--until", until, Long.MAX_VALUE - 1));
    if (range.isReversed()) {
      throw new ParameterException(
          spec.commandLine(), "--from " + from + " is after --until " + until);
    }
    PrintWriter out = spec.commandLine().getOut();
    MessageSource source = MessageSource.of(directory, id.queue());
    MessageSource.checkTarget(target.resolve(queue), directory);
    MessageReplayer.Result result;
    try (ConsoleProgressBar bar = new ConsoleProgressBar("replay");
        MessageReplayer replay = new MessageReplayer(source, target, queue, rate)) {
      result = replay.run(range, bar.aboveBar(spec.commandLine().getErr()::println), bar);
    }
    out.printf(
        Locale.ROOT,
        "%s: %s published, %,d already there; %,d lost%n",
        target.resolve(queue),
        Amount.grouped(result.published(), "message"),
        result.present(),
        result.lost());
    return result.lost() == 0 ? Main.EXIT_OK : Main.EXIT_DAMAGED;
  }

  private MessageRange.Bound bound(String option, @Nullable String text, long otherwise) {
    if (text == null) {
      return MessageRange.Bound.of(otherwise);
    }
    try {
      return text.matches("\\d{1,18}")
          ? MessageRange.Bound.of(Long.parseLong(text))
          : MessageRange.Bound.of(Instant.parse(text));
    } catch (DateTimeParseException e) {
      throw new ParameterException(
          spec.commandLine(), option + " is neither a sequence nor a time: " + text, e);
    }
  }
}
