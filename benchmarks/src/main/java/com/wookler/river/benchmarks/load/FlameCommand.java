package com.wookler.river.benchmarks.load;

import com.wookler.river.benchmarks.harness.ChildJvm;
import com.wookler.river.benchmarks.harness.Context;
import com.wookler.river.benchmarks.harness.Directories;
import com.wookler.river.benchmarks.harness.Rounds;
import com.wookler.river.benchmarks.harness.Samples;
import com.wookler.river.benchmarks.harness.UsageException;
import com.wookler.river.benchmarks.load.LoadContender.Size;
import com.wookler.river.benchmarks.system.QueueSystem;
import com.wookler.river.benchmarks.system.Systems;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import one.convert.Arguments;
import one.convert.JfrToFlame;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * Records where the time of one line goes, by JDK Flight Recorder, and has async-profiler's
 * converter draw it. Rounds that are recorded are no measurement.
 */
@Command(
    name = "flame",
    description = "Where one system's time goes at one line, as a flame graph (HTML).",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    showDefaultValues = true)
public final class FlameCommand implements Callable<Integer> {
  private static final Duration CAP = Duration.ofSeconds(10);
  private static final List<String> HEAP = List.of("-Xms1g", "-Xmx1g");
  private static final String RECORDING = ".jfr";

  @Option(
      names = "--line",
      required = true,
      paramLabel = "LINE",
      description = "The line; river bench run --list lists them.")
  private String line = "";

  @Option(names = "--system", paramLabel = "NAME", description = "The system.")
  private String system = "river";

  @Option(
      names = "--output",
      paramLabel = "FILE",
      description =
          "Where the graph goes, or the recording alone if it ends with .jfr. Default:"
              + " flame-LINE-SYSTEM.html.")
  private @Nullable Path output;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description = "Rounds that are recorded; more give more samples.")
  private int rounds = 5;

  @Option(
      names = "--directory",
      paramLabel = "DIR",
      description = "Below which the data is meanwhile (the temporary directory).")
  private @Nullable Path base;

  @Spec private CommandSpec spec;

  /** Creates it; the command line sets the options. */
  @SuppressWarnings("NullAway.Init")
  public FlameCommand() {}

  @Override
  public Integer call() throws Exception {
    if (rounds < 1) {
      throw new UsageException("--rounds is at least 1");
    }
    Line asked = Lines.byName(line);
    QueueSystem contender = Systems.byName(system);
    if (!contender.supports(asked.workOf(contender))) {
      throw new UsageException(system + " cannot do " + line);
    }
    Path name = output == null ? Path.of("flame-" + line + "-" + system + ".html") : output;
    Path file = name.toAbsolutePath();
    Files.createDirectories(file.getParent()); // before minutes of work, not after
    Path data = Directories.create(base);
    try {
      Path recording = record(asked, contender, data);
      if (file.toString().endsWith(RECORDING)) {
        Files.copy(recording, file, StandardCopyOption.REPLACE_EXISTING);
      } else {
        draw(recording, file, system + ": " + asked.text());
      }
    } finally {
      Directories.delete(data);
    }
    spec.commandLine().getOut().println(name);
    return CommandLine.ExitCode.OK;
  }

  /** Warms up, records the rounds, and returns the recording of all of them. */
  private Path record(Line asked, QueueSystem contender, Path data) throws Exception {
    Path each = Files.createDirectory(data.resolve("rounds"));
    List<String> options = new ArrayList<>(HEAP);
    options.addAll(FlightRecording.jvmOptions());
    Context context =
        new Context(data, Context.Extent.NORMAL, rounds, spec.commandLine().getErr()::println);
    Samples samples = Samples.ofSystems(asked.table(), Line.BASE);
    try (Rounds recorded = new Rounds(samples, context)) {
      Context.Worker worker = recorded.closing(new ChildJvm(options));
      Size size = new Size(1, CAP, each.toString());
      recorded.add(system, new LoadContender(asked, contender, size, context, worker));
      recorded.run(LoadContender.MOST_WARM_UPS, rounds);
    }
    return join(each, data.resolve("all" + RECORDING));
  }

  /** A recording is a sequence of chunks, so recordings after one another are one. */
  static Path join(Path directory, Path all) throws IOException {
    Files.createFile(all);
    try (Stream<Path> parts = Files.list(directory)) {
      for (Path part : parts.sorted().toList()) {
        Files.write(all, Files.readAllBytes(part), StandardOpenOption.APPEND);
      }
    }
    return all;
  }

  static void draw(Path recording, Path file, String title) throws IOException {
    Arguments arguments = new Arguments("--threads", "--title", title);
    arguments.output = "html";
    JfrToFlame.convert(recording.toString(), file.toString(), arguments);
  }
}
