package com.wookler.river.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeout;

import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.backup.BackupFiles;
import com.wookler.river.core.log.files.BlockFile;
import com.wookler.river.core.log.files.LogFiles;
import com.wookler.river.core.log.files.Seal;
import com.wookler.river.testing.CapturedLog;
import com.wookler.river.tools.inspect.BackupVerifier;
import com.wookler.river.tools.inspect.Finding;
import com.wookler.river.tools.inspect.Progress;
import com.wookler.river.tools.inspect.QueueVerifier;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Damage to each kind of file that a queue leaves which has every feature on. The queue opens, or
 * says which tool helps. What no file has any more is reported; nothing that one has counts as
 * lost, no byte is wrong, no id forgotten without a report, and {@code verify} knew of it.
 *
 * <p>{@code river.files.seeds} is for more rounds, {@code river.files.first} repeats one.
 */
@Timeout(7200)
class EveryFileDamageTest {
  private static final int SEEDS = Integer.getInteger("river.files.seeds", 25);
  private static final long FIRST_SEED = Long.getLong("river.files.first", 1);
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final int MOST_FAILURES = 5;
  private static final long PUBLISHED = 176; // sequences; behind them are copies of delayed ones
  private static final String LOG = "queues/" + EveryFeature.NAME + "/log";

  private static final int TRACE_LINES = 20;

  @TempDir Path base;

  private FileDamage files;
  private EveryFeature.Seen sound;
  private Set<String> known; // what is found damaged in the fixture
  private final Map<Long, List<String>> holders = new TreeMap<>(); // files, by message

  @BeforeEach
  void live() throws Exception {
    Path live = base.resolve("sound");
    Path old = base.resolve("old");
    EveryFeature.prepare(live, old);
    findHolders(live);
    files = FileDamage.of(live, old);
    Path copy = base.resolve("copy");
    files.write(copy);
    List<Finding> findings = verify(copy);
    known = damages(copy, findings);
    assertThat(known).hasSize(1); // which the fixture has made
    try (EveryFeature open = new EveryFeature(copy, EveryFeature.later(), true)) {
      sound = open.look();
    }
    EveryFeature.deleteTree(copy);
  }

  private void findHolders(Path live) throws IOException {
    LogFiles log = LogFiles.list(live.resolve(LOG));
    for (Map.Entry<Integer, Path> block : log.blocks().entrySet()) {
      Path seal = log.seals().get(block.getKey());
      long first;
      long end = Long.MAX_VALUE;
      if (seal == null) {
        first =
            new BlockFile(block.getKey(), block.getValue()).start().orElseThrow().firstSequence();
        end = 1000;
      } else {
        Seal of = BlockFile.seal(seal, block.getKey());
        first = of.firstSequence();
        end = of.endSequence();
      }
      hold(live, block.getValue(), first, end);
    }
    for (var stored : BackupFiles.scan(live.resolve("backup/" + EveryFeature.NAME)).blocks()) {
      hold(live, stored.file(), stored.block().firstSequence(), stored.block().endSequence());
    }
  }

  /** Of a backup its seal is needed too, which says where each part of it begins. */
  private static boolean isWhole(String file, FileDamage.Done done) {
    return !done.files().contains(file)
        && !done.files().contains(file.replace(".cq4.zst", ".seal"));
  }

  private void hold(Path live, Path file, long first, long end) {
    for (long i = first; i < end; i++) {
      holders.computeIfAbsent(i, at -> new ArrayList<>()).add(live.relativize(file).toString());
    }
  }

  private boolean isHeld(long sequence, FileDamage.Done done) {
    return holders.getOrDefault(sequence, List.of()).stream().anyMatch(file -> isWhole(file, done));
  }

  private static Set<String> damages(Path copy, List<Finding> findings) {
    return findings.stream()
        .filter(Finding::isDamage)
        .map(finding -> finding.toString().replace(copy.toString(), ""))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static List<Finding> verify(Path copy) throws IOException {
    List<Finding> findings = new ArrayList<>();
    Path backup = copy.resolve("backup").resolve(EveryFeature.NAME);
    BackupVerifier.verify(backup, findings::add, Progress.NONE);
    for (String name :
        List.of(
            EveryFeature.NAME, EveryFeature.COPIES, EveryFeature.FEEDER, EveryFeature.EXPIRED)) {
      Path queue = copy.resolve("queues").resolve(name);
      QueueVerifier.verify(queue, backup, findings::add, Progress.NONE);
    }
    return findings;
  }

  @Test
  void shouldLoseNothingInSilenceAndNothingThatIsThere() throws Exception {
    List<String> failures = new ArrayList<>();
    for (long seed = FIRST_SEED;
        seed < FIRST_SEED + SEEDS && failures.size() < MOST_FAILURES;
        seed++) {
      Path copy = base.resolve("seed" + seed);
      files.write(copy);
      FileDamage.Done done = files.damage(copy, new Random(seed));
      String what = "seed " + seed + ": " + done;
      try {
        assertTimeout(LIMIT, () -> hold(copy, done), what);
      } catch (Throwable e) {
        failures.add(what + ": " + trace(e));
      }
      EveryFeature.deleteTree(copy);
    }
    assertThat(failures).isEmpty();
  }

  private static String trace(Throwable e) {
    StringWriter text = new StringWriter();
    e.printStackTrace(new PrintWriter(text));
    return text.toString().lines().limit(TRACE_LINES).collect(Collectors.joining("\n"));
  }

  private void hold(Path copy, FileDamage.Done done) throws Exception {
    Set<String> findings = damages(copy, verify(copy));
    try (CapturedLog log = new CapturedLog("com.wookler.river")) {
      EveryFeature.Seen seen;
      boolean all = done.files().stream().anyMatch(EveryFileDamageTest::isShared);
      try (EveryFeature open = new EveryFeature(copy, EveryFeature.later(), all)) {
        seen = open.look();
      } catch (RiverException e) {
        String what = String.valueOf(e.getMessage());
        if (what.contains("./river salvage")) {
          return;
        }
        throw e;
      }
      List<String> reports = log.warnings().stream().filter(EveryFileDamageTest::isReport).toList();
      new Rules(done, seen, reports, findings).check(all);
    }
  }

  /** Whether other queues have to be there for the queue to make good the damage to this file. */
  private static boolean isShared(String file) {
    return !file.startsWith("queues/" + EveryFeature.NAME + "/")
        || file.contains("/forwards/")
        || file.contains("/origins.json");
  }

  private static boolean isReport(String warning) {
    return warning.contains("damaged") || warning.contains("lost") || warning.contains("missing");
  }

  /** What must hold of a queue that is open again. */
  private final class Rules {
    private final FileDamage.Done done;
    private final EveryFeature.Seen seen;
    private final List<String> warnings;
    private final Set<String> findings;
    private final Set<Long> lost = new TreeSet<>();

    Rules(
        FileDamage.Done done, EveryFeature.Seen seen, List<String> warnings, Set<String> findings) {
      this.done = done;
      this.seen = seen;
      this.warnings = warnings;
      this.findings = findings;
    }

    void check(boolean all) {
      messages();
      EveryFeature.SUBSCRIBERS.forEach(this::deliveries);
      reported("dead letters are missing", without(sound.letters(), seen.letters()), ".dead/");
      latest();
      ids();
      if (all) {
        others();
      }
      // what waited of a delayed message that the log has lost before is lost once more
      long most = sound.lost() + lost.size() + (isDelayedLost() ? 1 : 0);
      assertThat(seen.lost()).as("lost: %s", warnings).isLessThanOrEqualTo(most);
      boolean warned =
          warnings.stream()
              .filter(line -> !line.contains("damaged messages are left out")) // of those before
              .filter(line -> !isOfFixture(line))
              .anyMatch(line -> line.contains("damaged"));
      if (warned || !lost.isEmpty()) {
        assertThat(known.containsAll(findings))
            .as("verify was silent about %s", warnings)
            .isFalse();
      }
    }

    /** Whether a recovery, which walks a block without a seal, has met the fixture's damage. */
    private boolean isOfFixture(String warning) {
      return warning.contains("is not what was published")
          && known.stream()
              .allMatch(finding -> warning.contains(finding.replaceFirst(".*/(b\\d+).*", "$1")));
    }

    private void others() {
      forwarded("copied", sound.copied(), seen.copied(), EveryFeature.COPIES);
      forwarded("fed", sound.fed(), seen.fed(), EveryFeature.NAME + "/");
      Set<Long> missing = without(sound.expired(), seen.expired());
      missing.removeIf(number -> lost.contains(EveryFeature.sequence(number)));
      reported("expired messages are missing", missing, EveryFeature.EXPIRED);
    }

    private void messages() {
      sound
          .messages()
          .forEach(
              (sequence, data) -> {
                String got = seen.messages().get(sequence);
                if (got == null) {
                  lost.add(sequence);
                } else {
                  assertThat(got).as("data of %d", sequence).isEqualTo(data);
                }
              });
      assertThat(lost.stream().filter(at -> isHeld(at, done)).toList())
          .as("lost though a file has them; " + warnings)
          .isEmpty();
      if (!seen.refused().containsAll(lost)) {
        reported("messages are lost", lost, "");
      }
    }

    private void deliveries(String name) {
      List<Long> expected = sound.deliveries().get(name);
      List<Long> got = seen.deliveries().get(name);
      Set<Long> missing = without(expected, got);
      missing.removeAll(lost);
      if (isDelayedLost()) {
        missing.removeIf(EveryFeature::isDelayed);
      }
      assertThat(missing).as("not delivered to " + name + "; " + warnings).isEmpty();
      if (got.size() > new HashSet<>(got).size() || !without(got, expected).isEmpty()) {
        assertThat(warnings.size() + (done.toString().contains("put back") ? 1 : 0))
            .as("delivered again to %s without report: %s", name, got)
            .isPositive();
      }
    }

    private boolean isDelayedLost() {
      return warnings.stream().anyMatch(line -> line.contains("delayed message"));
    }

    private void latest() {
      sound
          .latest()
          .forEach(
              (key, sequence) -> {
                if (!lost.contains(sequence)) {
                  assertThat(seen.latest().get(key))
                      .as("last of %s, %s", key, warnings)
                      .isEqualTo(sequence);
                }
              });
    }

    private void ids() {
      Set<String> missing = new TreeSet<>();
      sound
          .ids()
          .forEach(
              (id, sequence) -> {
                Long got = seen.ids().get(id);
                if (got == null && !isGone(sequence)) {
                  missing.add(id);
                } else if (got == null) {
                  return; // went with its message
                } else {
                  assertThat(got).as(id).isEqualTo(sequence);
                }
              });
      if (!missing.isEmpty()) {
        assertThat(warnings).as("ids forgotten: " + missing).anyMatch(line -> line.contains("ids"));
      }
    }

    /** Whether a message is lost, or was damaged before and its whole block is lost now. */
    private boolean isGone(long sequence) {
      return lost.contains(sequence)
          || (!sound.messages().containsKey(sequence)
              && lost.contains(sequence - 1)
              && lost.contains(sequence + 1));
    }

    private void forwarded(String what, List<Long> expected, List<Long> got, String touched) {
      Set<Long> missing = without(expected, got);
      missing.removeAll(lost);
      if (isDelayedLost()) {
        missing.removeIf(sequence -> sequence >= PUBLISHED);
      }
      reported(what + " is missing", missing, touched);
      if (got.size() > new HashSet<>(got).size()) {
        assertThat(warnings).as(what + " twice: " + got).isNotEmpty();
      }
    }

    private void reported(String what, Set<Long> missing, String touched) {
      if (!missing.isEmpty()) {
        assertThat(done.touches(touched)).as("%s: %s; %s", what, missing, warnings).isTrue();
        assertThat(warnings).as("%s: %s", what, missing).isNotEmpty();
      }
    }
  }

  private static Set<Long> without(Iterable<Long> all, Collection<Long> others) {
    Set<Long> left = new TreeSet<>();
    all.forEach(left::add);
    left.removeAll(others);
    return left;
  }
}
