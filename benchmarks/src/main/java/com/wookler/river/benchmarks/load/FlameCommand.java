package com.wookler.river.benchmarks.load;

import com.wookler.river.benchmarks.profile.FlameSvg;
import com.wookler.river.benchmarks.profile.FlightRecording;
import com.wookler.river.benchmarks.profile.Samples;
import com.wookler.river.benchmarks.profile.Stacks;
import com.wookler.river.benchmarks.report.Machine;
import com.wookler.river.benchmarks.system.QueueSystem;
import com.wookler.river.benchmarks.system.Systems;
import com.wookler.river.benchmarks.utils.Directories;
import com.wookler.river.benchmarks.utils.UsageException;
import com.wookler.river.common.TimeSource;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Draws where the time of one line goes. Its rounds are no measurement: they are recorded. */
@Command(
    name = "flame",
    description = "Where one system's time goes at one line, as a flame graph (SVG).",
    mixinStandardHelpOptions = true,
    sortOptions = false)
public final class FlameCommand implements Callable<Integer> {
  private static final Duration WARM_UP = Duration.ofSeconds(2);
  private static final Duration CAP = Duration.ofSeconds(10);
  private static final String HEAP = "1g";

  @Option(
      names = "--line",
      required = true,
      paramLabel = "LINE",
      description = "The line; river bench run --list lists them.")
  private String line;

  @Option(
      names = "--system",
      paramLabel = "NAME",
      defaultValue = "river",
      description = "The system. Default: ${DEFAULT-VALUE}.")
  private String system;

  @Option(
      names = "--output",
      paramLabel = "FILE",
      description = "Where the graph goes. Default: flame-LINE-SYSTEM.svg.")
  private @Nullable Path output;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "5",
      description = "Rounds that are recorded; more give more samples. Default: ${DEFAULT-VALUE}.")
  private int rounds;

  @Option(
      names = "--directory",
      paramLabel = "DIR",
      description = "Where the data goes. Default: a temporary directory.")
  private @Nullable Path directory;

  @Spec private CommandSpec spec;

  /** Made by the command line, which sets the options. */
  @SuppressWarnings("NullAway.Init")
  public FlameCommand() {}

  @Override
  public Integer call() throws Exception {
    if (rounds < 1) {
      throw new UsageException("--rounds is at least 1");
    }
    Line asked = Lines.byName(line);
    QueueSystem contender = contender(asked);
    Path name = output == null ? Path.of("flame-" + line + "-" + system + ".svg") : output;
    Path file = name.toAbsolutePath();
    Files.createDirectories(file.getParent()); // before minutes of work, not after
    Path data =
        directory == null
            ? Files.createTempDirectory("river-bench-")
            : Files.createDirectories(directory.toAbsolutePath());
    try {
      Plan plan = new Plan(rounds, 1, CAP, WARM_UP, data);
      PrintWriter err = spec.commandLine().getErr();
      Stacks stacks = sample(asked, contender, plan, FlameCommand::fork, err::println);
      if (stacks.samples() == 0) {
        throw new UsageException("no samples: the rounds were too short; ask for more --rounds");
      }
      Files.writeString(file, FlameSvg.draw(stacks, caption(asked, stacks, Machine.here(data))));
      spec.commandLine().getOut().printf("%,d samples: %s%n", stacks.samples(), name);
    } finally {
      if (directory == null) {
        Directories.delete(data);
      }
    }
    return CommandLine.ExitCode.OK;
  }

  /** Warms up, does the plan's rounds, and yields the stacks of those, but not of the warm-up. */
  static Stacks sample(
      Line line, QueueSystem system, Plan plan, Supplier<Worker> workers, Consumer<String> progress)
      throws IOException {
    Path recordings = Files.createTempDirectory(plan.directory(), "recordings-");
    try {
      Plan recorded = plan.recordedIn(recordings);
      try (Contest contest = new Contest(line, recorded, List.of(system), workers, progress)) {
        contest.rows();
      }
      return Samples.read(recordings);
    } finally {
      Directories.delete(recordings);
    }
  }

  private QueueSystem contender(Line asked) {
    try {
      QueueSystem found = Systems.byName(system);
      if (!found.supports(asked.workOf(found))) {
        throw new UsageException(system + " cannot do " + line);
      }
      return found;
    } catch (IllegalArgumentException e) {
      throw new UsageException(String.valueOf(e.getMessage()));
    }
  }

  private List<String> caption(Line asked, Stacks stacks, Machine machine) {
    LocalDate today = TimeSource.system().wallTime().atOffset(ZoneOffset.UTC).toLocalDate();
    return List.of(
        system + ": " + asked.text() + " (" + line + ")",
        String.format(
            Locale.ROOT,
            "%s, JDK %s, %,d samples of running threads in %d rounds",
            today,
            machine.jdk(),
            stacks.samples(),
            rounds));
  }

  private static Worker fork() {
    try {
      return new ForkedWorker(HEAP, FlightRecording.jvmOptions());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
