package com.wookler.river.tools;

import com.fasterxml.jackson.core.JsonGenerator;
import com.wookler.river.common.utils.Amount;
import com.wookler.river.tools.inspect.BackupVerifier;
import com.wookler.river.tools.inspect.Finding;
import com.wookler.river.tools.inspect.MessageSource;
import com.wookler.river.tools.inspect.Progress;
import com.wookler.river.tools.inspect.QueueVerifier;
import com.wookler.river.tools.inspect.QueueVerifier.Result;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Verifies every byte of a queue's directory, or of a directory of backups. */
@Command(
    name = "verify",
    description = {
      "Proves every message, seal and acknowledgement of a queue, or every backup of one.",
      "Reads only, also while the queue is open. Exit code 0: sound; 1: damaged; 2: not readable."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class VerifyCommand implements Callable<Integer> {
  @Parameters(
      paramLabel = "DIR|BACKUP",
      description = "<queue.directory>/<queue>, or <backup.directory>/<queue>.")
  private Path directory;

  @Option(
      names = "--backup",
      paramLabel = "DIR",
      description = "The backups of a queue whose subscribers may read from them; not verified.")
  private @Nullable Path backup;

  @Option(names = "--json", description = "Print the answer as JSON.")
  private boolean json;

  @Spec private CommandSpec spec;

  /** Creates the command; picocli sets its parameters. */
  @SuppressWarnings("NullAway.Init")
  VerifyCommand() {}

  @Override
  public Integer call() throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    Result result = json ? asJson(out) : asText(out);
    return result.damages() == 0 ? Main.EXIT_OK : Main.EXIT_DAMAGED;
  }

  private Result verify(Consumer<Finding> findings, Progress progress) throws IOException {
    return MessageSource.isQueue(directory)
        ? QueueVerifier.verify(directory, backup, findings, progress)
        : BackupVerifier.verify(directory, findings, progress);
  }

  private Result asText(PrintWriter out) throws IOException {
    Result result;
    try (ConsoleProgressBar bar = new ConsoleProgressBar("verify")) {
      result = verify(bar.aboveBar(out::println), bar);
    }
    out.printf(
        Locale.ROOT,
        "%s: %s, %s proven, %s: %s%n",
        directory,
        Amount.grouped(result.blocks(), "block"),
        Amount.grouped(result.messages(), "message"),
        Amount.grouped(result.subscribers(), "subscriber"),
        result.damages() == 0 ? "sound" : result.damages() + " damaged");
    return result;
  }

  private Result asJson(PrintWriter out) throws IOException {
    try (JsonGenerator json = JsonOutput.pretty(out)) {
      json.writeStartObject();
      json.writeStringField("directory", directory.toString());
      json.writeArrayFieldStart("findings");
      Result result = verify(finding -> write(json, finding), Progress.NONE);
      json.writeEndArray();
      json.writeNumberField("blocks", result.blocks());
      json.writeNumberField("messages", result.messages());
      json.writeNumberField("subscribers", result.subscribers());
      json.writeNumberField("damages", result.damages());
      json.writeBooleanField("sound", result.damages() == 0);
      json.writeEndObject();
      json.writeRaw('\n');
      return result;
    }
  }

  private static void write(JsonGenerator json, Finding finding) {
    try {
      JsonOutput.MAPPER.writeValue(json, JsonOutput.of(finding));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
