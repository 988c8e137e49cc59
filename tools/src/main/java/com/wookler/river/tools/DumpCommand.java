package com.wookler.river.tools;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.wookler.river.common.Micros;
import com.wookler.river.core.QueueView;
import com.wookler.river.core.River;
import com.wookler.river.core.message.StoredMessage;
import com.wookler.river.core.message.Terms;
import com.wookler.river.tools.inspect.MessageSource;
import com.wookler.river.tools.inspect.Progress;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** Prints messages. */
@Command(
    name = "dump",
    description = {
      "Prints the messages of a queue or of backups to standard output, in order.",
      "What is damaged is named on standard error, and makes the exit code 1."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class DumpCommand implements Callable<Integer> {
  private static final int WRITE_BYTES = 1 << 16;
  private static final int POLLED = 1_000; // messages
  private static final Duration POLL = Duration.ofSeconds(1);

  enum Format {
    /** One JSON object in each line. */
    json,
    /** The bytes of the data only. */
    raw
  }

  @Parameters(
      paramLabel = "DIR|BACKUP",
      description = "<queue.directory>/<queue>, or <backup.directory>/<queue>.")
  private Path directory;

  @Option(
      names = "--from",
      paramLabel = "SEQ",
      defaultValue = "0",
      description = "First sequence. Default: the oldest.")
  private long from;

  @Option(
      names = "--to",
      paramLabel = "SEQ",
      defaultValue = "9223372036854775806",
      description = "Last sequence. Default: the newest.")
  private long to;

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      defaultValue = "json",
      description = "json: a line a message; raw: the bytes only. Default: ${DEFAULT-VALUE}.")
  private Format format;

  @Option(
      names = "--follow",
      description = {
        "Continue with what a process publishes meanwhile, until --to, or until this is stopped.",
        "What left the log before it was read is read from --backup, or named as missed."
      })
  private boolean follow;

  @Option(
      names = "--backup",
      paramLabel = "BACKUP",
      description = "With --follow: <backup.directory>/<queue>.")
  private @Nullable Path backup;

  @Mixin private IdOption id;

  @ParentCommand private Main main;

  @Spec private CommandSpec spec;

  /** Creates the command; picocli sets its parameters. */
  @SuppressWarnings("NullAway.Init")
  DumpCommand() {}

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (from < 0 || from > to) {
      throw new ParameterException(
          spec.commandLine(),
          from < 0
              ? "--from is " + from + "; sequences begin at 0"
              : "--from " + from + " is after --to " + to);
    }
    if (follow) {
      return follow();
    }
    if (backup != null) {
      throw new ParameterException(spec.commandLine(), "--backup is for --follow");
    }
    MessageSource source = MessageSource.of(directory, id.queue());
    try (OutputStream out = new UnclosedOutputStream(main.out())) {
      Printer printer = new Printer(out);
      source.walk(from, to, printer, Progress.NONE);
      return printer.lost == 0 ? Main.EXIT_OK : Main.EXIT_DAMAGED;
    }
  }

  private int follow() throws IOException, InterruptedException {
    if (backup != null && !Files.isDirectory(backup)) {
      throw new ParameterException(
          spec.commandLine(), "--backup " + backup + " is not a directory");
    }
    try (QueueView view =
            backup == null ? River.openReadOnly(directory) : River.openReadOnly(directory, backup);
        OutputStream out = new UnclosedOutputStream(main.out())) {
      if (from > 0) {
        view.moveTo(from);
      }
      Printer printer = new Printer(out);
      while (view.position() <= to) {
        List<StoredMessage> found = view.poll(POLLED, POLL);
        if (view.missed() > printer.lost) {
          spec.commandLine()
              .getErr()
              .printf(
                  "missed: %,d messages were in no file any more, or are damaged%n",
                  view.missed() - printer.lost);
          spec.commandLine().getErr().flush();
          printer.lost = view.missed();
        }
        printer.messages(found.stream().filter(message -> message.sequence() <= to).toList());
        out.flush();
      }
      return printer.lost == 0 ? Main.EXIT_OK : Main.EXIT_DAMAGED;
    }
  }

  /** Flushes the underlying stream instead of closing it. */
  private static final class UnclosedOutputStream extends BufferedOutputStream {
    UnclosedOutputStream(OutputStream out) {
      super(out, WRITE_BYTES);
    }

    @Override
    public void close() throws IOException {
      flush();
    }
  }

  private final class Printer implements MessageSource.Sink {
    private final OutputStream out;
    private long lost;

    Printer(OutputStream out) {
      this.out = out;
    }

    @Override
    public boolean messages(List<StoredMessage> run) throws IOException {
      for (StoredMessage message : run) {
        if (format == Format.raw) {
          out.write(message.data());
        } else {
          out.write(JsonOutput.MAPPER.writeValueAsBytes(line(message)));
          out.write('\n');
        }
      }
      return true;
    }

    @Override
    public void lost(MessageSource.Lost range) {
      lost += range.count();
      spec.commandLine().getErr().println(range);
    }
  }

  private static ObjectNode line(StoredMessage message) {
    ObjectNode json = JsonOutput.MAPPER.createObjectNode();
    json.put("sequence", message.sequence());
    json.put("time", message.publishedAt().toString());
    Terms terms = message.terms();
    if (terms != null && terms.id() != null) {
      json.put("id", terms.id());
    }
    if (terms != null && Terms.isDelayed(terms)) {
      json.put("due", Micros.toInstant(terms.dueAt(message.publishedMicros())).toString());
    }
    if (Terms.isErased(terms)) {
      return json.put("erased", true);
    }
    if (message.originalSequence() != message.sequence()) {
      json.put("original", message.originalSequence());
    }
    if (message.key() != null) {
      json.put("key", message.key());
    }
    if (!message.headers().isEmpty()) {
      ObjectNode headers = json.putObject("headers");
      message.headers().forEach(headers::put); // byte arrays: base64
    }
    String text = text(message.data());
    return text == null ? json.put("base64", message.data()) : json.put("data", text);
  }

  /** Decodes UTF-8, or returns null if the bytes are not valid UTF-8. */
  private static @Nullable String text(byte[] bytes) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      return null;
    }
  }
}
