package com.wookler.river.crash;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.wookler.river.common.TimeSource;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The comparison finds what is gone, and what comes again. */
@Tag("full")
class CheckTest {
  @TempDir Path root;

  private Rounds rounds() throws IOException {
    Site site =
        new Site(
            Files.createDirectory(root.resolve("tested")),
            Files.createDirectory(root.resolve("ledger")));
    return new Rounds(site, Scenario.DEFAULT, Counts.seed(CheckTest.class));
  }

  /** A kill, and somebody's hand. */
  private interface Hand {
    void spoil(Site site) throws IOException;
  }

  private static Fault killAnd(Hand hand) {
    Kill kill = new Kill();
    return (ChildProcess child, Site site, int round, SplittableRandom random) -> {
      Waiting.until(Waiting.RESUMED, () -> Journal.read(site.subscribed(round, 0)).size() > 1_000);
      End end = kill.end(child, site, round, random);
      hand.spoil(site);
      return end;
    };
  }

  private static List<Path> files(Path root, Predicate<String> name) throws IOException {
    try (Stream<Path> all = Files.walk(root)) {
      return all.filter(file -> name.test(String.valueOf(file.getFileName())))
          .sorted(Comparator.reverseOrder())
          .toList();
    }
  }

  private static Path subscribers(Site site) {
    return site.queueDirectory().resolve("subscribers");
  }

  @Test
  void shouldFindMessagesThatAreGone() throws Exception {
    Rounds rounds = rounds();
    Fault fault =
        killAnd(
            site -> {
              for (Path block : files(site.log(), name -> name.endsWith(".cq4"))) {
                try (RandomAccessFile file = new RandomAccessFile(block.toFile(), "rw")) {
                  file.setLength(Math.min(file.length(), 68_000)); // little more than its index
                }
              }
            });

    assertThatThrownBy(() -> rounds.next(fault))
        .isInstanceOf(Rounds.BrokenRound.class)
        .hasMessageContaining("round 1 of seed")
        .hasRootCauseInstanceOf(BrokenPromise.class);
  }

  @Test
  void shouldFindAcknowledgementsThatAreForgotten() throws Exception {
    Rounds rounds = rounds();
    rounds.next(
        killAnd(
            site -> {
              for (Path file : files(subscribers(site), name -> true)) {
                Files.delete(file);
              }
            }));

    assertThatThrownBy(() -> rounds.next(new KillLate()))
        .isInstanceOf(Rounds.BrokenRound.class)
        .message() // the first to come may have been acked, or only handed over
        .containsAnyOf("comes again", "was there before");
  }

  /** When the subscribers surely have got something. */
  private static final class KillLate implements Fault {
    @Override
    public End end(ChildProcess child, Site site, int round, SplittableRandom random)
        throws IOException, InterruptedException {
      Waiting.until(Waiting.RESUMED, () -> Journal.read(site.subscribed(round, 0)).size() > 1_000);
      child.kill();
      return End.killed(TimeSource.system().nanoTime());
    }
  }
}
