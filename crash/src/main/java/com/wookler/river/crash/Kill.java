package com.wookler.river.crash;

import com.wookler.river.common.TimeSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/**
 * SIGKILL: at a random moment, while the queue is opened after the kill before, or just when
 * something is half done. What is half done is known by its file, and counted by what the kill has
 * left.
 */
final class Kill implements Fault {
  private static final Duration AIM = Duration.ofSeconds(2);

  /** Work that shows as a file while it is under way. */
  enum Half {
    /** A block is being compressed into the backup. */
    ARCHIVE(".zst.tmp"),
    /** A closed block's seal is being written. */
    SEAL(".seal.tmp"),
    /** The next block is being made. */
    BLOCK(".precreated.tmp"),
    /** Killed while the queue was opening. */
    OPENING("");

    private final String ending;

    Half(String ending) {
      this.ending = ending;
    }

    boolean isLeft(Site site) {
      if (this == OPENING) {
        return false;
      }
      for (Path root : List.of(site.queueDirectory(), site.backups())) {
        try (Stream<Path> files = Files.walk(root)) {
          if (files.anyMatch(file -> file.toString().endsWith(ending))) {
            return true;
          }
        } catch (IOException | UncheckedIOException e) {
          // something was deleted meanwhile
        }
      }
      return false;
    }
  }

  private final Map<Half, Integer> counts = new EnumMap<>(Half.class);

  @Override
  public ChildProcess.Launch launch(Site site, int round, SplittableRandom random) {
    return random.nextInt(4) == 0
        ? ChildProcess.Launch.PLAIN
        : ChildProcess.Launch.with("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");
  }

  @Override
  public End end(ChildProcess child, Site site, int round, SplittableRandom random)
      throws IOException, InterruptedException {
    int choice = round == 1 ? 9 : random.nextInt(10);
    Half aim = Half.values()[random.nextInt(Half.values().length)];
    double skewed = random.nextDouble() * random.nextDouble();
    if (choice < 2) {
      Waiting.file(site.opening(round), child);
      Waiting.alive(Duration.ofNanos((long) (skewed * 600_000_000)), child);
    } else {
      Waiting.file(site.ready(round), child);
      Waiting.alive(Duration.ofNanos((long) (20_000_000 + skewed * 1_000_000_000)), child);
      if (choice < 6) {
        Waiting.until(AIM, () -> aim == Half.OPENING || aim.isLeft(site) || !child.isAlive());
      }
    }
    Waiting.alive(Duration.ZERO, child);
    int exit = child.kill();
    BrokenPromise.unless(exit == ChildProcess.KILLED, "exit value %d", exit);
    count(site, round);
    return End.killed(TimeSource.system().nanoTime());
  }

  private void count(Site site, int round) {
    if (!Files.exists(site.ready(round))) {
      counts.merge(Half.OPENING, 1, Integer::sum);
    }
    for (Half half : Half.values()) {
      if (half.isLeft(site)) {
        counts.merge(half, 1, Integer::sum);
      }
    }
  }

  /** How often a kill came while this was half done. */
  int count(Half half) {
    return counts.getOrDefault(half, 0);
  }

  @Override
  public String toString() {
    return "killed while: opening "
        + count(Half.OPENING)
        + ", a block was being made "
        + count(Half.BLOCK)
        + ", sealed "
        + count(Half.SEAL)
        + ", archived "
        + count(Half.ARCHIVE);
  }
}
