package com.wookler.river.examples.demo;

import com.wookler.river.common.utils.Amount;
import com.wookler.river.examples.utils.Directories;
import com.wookler.river.examples.utils.EventFile;
import com.wookler.river.examples.utils.UsageException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Runs the demo. The exit code is 0 if every check passed, else 1. */
@Command(
    name = "demo",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description =
        "Real events through one queue to three subscribers, with a restart in the middle, and a"
            + " proof that each got each event.")
public final class DemoCommand implements Callable<Integer> {
  /** The duration of the demo by default, independent of the size of the input. */
  private static final int SECONDS = 6;

  private static final int LEAST_RATE = 4_000;

  @Option(
      names = "--input",
      paramLabel = "FILE",
      description = "Events: NDJSON, plain or gzip. Default: the 20,000 shipped events.")
  private @Nullable Path input;

  @Option(
      names = "--directory",
      paramLabel = "DIR",
      description = "An empty or new directory for the data. Default: a temporary one.")
  private @Nullable Path directory;

  @Option(names = "--keep", description = "Keep the temporary directory.")
  private boolean keep;

  @Option(
      names = "--rate",
      paramLabel = "N",
      description =
          "Events a second to publish; 0 for as fast as it goes. Default: what takes some seconds.")
  private @Nullable Integer rate;

  @Spec private CommandSpec spec;

  /** Creates the command; picocli sets its options. */
  @SuppressWarnings("NullAway.Init")
  public DemoCommand() {}

  @Override
  public Integer call() throws Exception {
    PrintWriter out = spec.commandLine().getOut();
    Events events = Events.scan(input == null ? EventFile.shipped() : EventFile.of(input));
    double perSecond = rate == null ? Math.max(LEAST_RATE, events.count() / SECONDS) : rate;
    Path data = data();
    boolean holds = false;
    try {
      introduce(out, events, data);
      DemoResult result = new Demo(events, data, perSecond, out).run();
      result.lines().forEach(out::println);
      holds = result.holds();
    } finally {
      // The data of a failed run is kept for inspection.
      if (directory == null && !keep && holds) {
        Directories.delete(data);
      } else {
        out.println("The data is in " + data);
      }
    }
    return holds ? 0 : 1;
  }

  private Path data() throws IOException {
    if (rate != null && rate < 0) {
      throw new UsageException("--rate is at least 0");
    }
    if (directory == null) {
      return Files.createTempDirectory("river-demo-");
    }
    if (Files.exists(directory) && !isEmptyDirectory(directory)) {
      throw new UsageException("not an empty directory: " + directory);
    }
    return Files.createDirectories(directory);
  }

  private static boolean isEmptyDirectory(Path path) throws IOException {
    if (!Files.isDirectory(path)) {
      return false;
    }
    try (Stream<Path> content = Files.list(path)) {
      return content.findAny().isEmpty();
    }
  }

  private static void introduce(PrintWriter out, Events events, Path data) {
    out.println(
        String.format(
            Locale.ROOT,
            "%s from %s, data in %s",
            Amount.grouped(events.count(), "event"),
            events.name(),
            data));
    out.println(
        Amount.of(Demo.PUBLISHERS, "publisher")
            + "; billing (acknowledges, 3 consumers, leaves 1 % unacknowledged at first),"
            + " audit, archive (slow)");
    if (!events.identified()) {
      out.println("The events' ids are not their line numbers: these travel in a header.");
    }
  }
}
