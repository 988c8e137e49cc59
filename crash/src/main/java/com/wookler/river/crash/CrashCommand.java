package com.wookler.river.crash;

import com.wookler.river.common.TimeSource;
import com.wookler.river.common.utils.Amount;
import com.wookler.river.crash.Scenario.Level;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * Kills a queue on the user's own disk, round after round. Exit code 0 if every promise held, 1 if
 * one was broken, 2 if what was asked for makes no sense.
 */
@Command(
    name = "river crash",
    description = {
      "Tries a directory's disk: publishes and consumes in a process of its own, kills it with"
          + " SIGKILL at random moments, and compares what is left with what was promised.",
      "A kill does not lose what the operating system has: this shows that the queue survives the"
          + " death of its process, not what the disk does when the power fails."
    },
    mixinStandardHelpOptions = true,
    version = "1.0-SNAPSHOT",
    sortOptions = false)
final class CrashCommand implements Callable<Integer> {
  private static final int MOST_ROUNDS = 60_000; // the number in a message's id has 16 bits

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "DIR", description = "Where to put the queue; a new directory in it.")
  private Path directory;

  @Option(
      names = "--rounds",
      defaultValue = "20",
      paramLabel = "N",
      description = "Kills (default: ${DEFAULT-VALUE}).")
  private int rounds;

  @Option(names = "--seed", paramLabel = "S", description = "Of a run that is to be repeated.")
  private @Nullable Long seed;

  @Option(
      names = "--publishers",
      defaultValue = "4",
      paramLabel = "N",
      description = "Threads that publish (default: ${DEFAULT-VALUE}).")
  private int publishers;

  @Option(
      names = "--subscribers",
      defaultValue = "2",
      paramLabel = "N",
      description = "Subscribers, in turn with and without ack (default: ${DEFAULT-VALUE}).")
  private int subscribers;

  @Option(
      names = "--durability",
      defaultValue = "MIXED",
      description = "${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
  private Level level;

  @Option(
      names = "--ledger",
      paramLabel = "DIR",
      description = "Where to note what was promised (default: the temporary directory).")
  private @Nullable Path ledger;

  /** The command line sets what it is described by. */
  @SuppressWarnings("NullAway.Init")
  CrashCommand() {}

  @Override
  public Integer call() throws IOException {
    require(rounds > 0 && rounds <= MOST_ROUNDS, "--rounds must be from 1 to " + MOST_ROUNDS);
    require(publishers > 0 && publishers < 256, "--publishers must be from 1 to 255");
    require(subscribers > 0 && subscribers < 100, "--subscribers must be from 1 to 99");
    require(Files.isDirectory(directory), "there is no directory " + directory);
    long chosen = seed == null ? TimeSource.system().nanoTime() & 0xFFFF_FFFFL : seed;
    Path tested = Files.createTempDirectory(directory, "river-crash-").toAbsolutePath();
    Path promised =
        ledger == null
            ? Files.createTempDirectory("river-ledger-")
            : Files.createTempDirectory(ledger, "river-ledger-");
    say("%s in %s, ledger in %s, seed %d", Amount.of(rounds, "round"), tested, promised, chosen);
    Scenario scenario =
        new Scenario(publishers, subscribers, level, Scenario.DEFAULT.largest(), false);
    return run(new Rounds(new Site(tested, promised), scenario, chosen), tested, promised);
  }

  private int run(Rounds all, Path tested, Path promised) {
    Kill kill = new Kill();
    TimeSource time = TimeSource.system();
    long started = time.nanoTime();
    try {
      for (int i = 1; i <= rounds; i++) {
        all.next(kill);
        if (i % Math.max(1, rounds / 20) == 0) {
          say(
              "%s, %s",
              Amount.of(i, "round"),
              Duration.ofNanos(time.nanoTime() - started).toSeconds() + " s");
        }
      }
      all.finish();
    } catch (Rounds.BrokenRound e) {
      spec.commandLine().getErr().println("BROKEN: " + e.getMessage());
      spec.commandLine().getErr().println("kept: " + tested + " and " + promised);
      return 1;
    }
    say("every promise held in %s: %s", Amount.of(rounds, "round"), all.summary());
    say("%s", kill);
    say("%s", all.openings());
    List.of(tested, promised).forEach(CrashCommand::delete);
    return 0;
  }

  private void say(String format, Object... arguments) {
    spec.commandLine().getOut().printf(format + "%n", arguments);
    spec.commandLine().getOut().flush();
  }

  private void require(boolean condition, String message) {
    if (!condition) {
      throw new ParameterException(spec.commandLine(), message);
    }
  }

  private static void delete(Path root) {
    try (Stream<Path> files = Files.walk(root)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot remove " + root, e);
    }
  }
}
