package com.wookler.river.common.keys;

import com.wookler.river.common.errors.DamagedException;
import com.wookler.river.common.file.Directories;
import com.wookler.river.common.file.DurableFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The runs of an index, oldest first, without overlap. Guarded by the lock of {@link KeyIndex}. */
final class KeyRuns {
  private static final Logger LOG = LoggerFactory.getLogger(KeyRuns.class);
  // an older run at most this many times as large as all newer ones is merged with them
  private static final int RATIO = 2;
  private static final long MANY = 1_000_000;

  private final Path directory;
  private final String queue;
  private final UUID identity;
  private final List<KeyRun> runs = new ArrayList<>();
  private long number;
  private boolean damaged; // whether a run was, which was logged

  /** Messages that no run covers; after the last run the end is {@link Long#MAX_VALUE}. */
  record Gap(long from, long end) {}

  private KeyRuns(Path directory, String queue, UUID identity) {
    this.directory = directory;
    this.queue = queue;
    this.identity = identity;
  }

  /** Opens what is there, except runs from beyond {@code logEnd}: they are not of this log. */
  static KeyRuns open(Path directory, String queue, UUID identity, long logEnd) throws IOException {
    DurableFiles.createDirectories(directory);
    for (Path file : Directories.list(directory, name -> name.endsWith(DurableFiles.TEMPORARY))) {
      Files.deleteIfExists(file); // a crash left it
    }
    KeyRuns opened = new KeyRuns(directory, queue, identity);
    NavigableMap<Long, Path> files = RunHeader.FILES.list(directory);
    opened.number = files.isEmpty() ? 0 : files.lastKey();
    for (var file : files.descendingMap().entrySet()) {
      opened.take(file.getKey(), file.getValue(), logEnd);
    }
    opened.runs.sort(Comparator.comparingLong(KeyRun::from).thenComparingLong(KeyRun::end));
    return opened;
  }

  private void take(long number, Path file, long logEnd) throws IOException {
    KeyRun run;
    try {
      run = KeyRun.open(directory, identity, number);
    } catch (DamagedException e) {
      quarantine(file, String.valueOf(e.getMessage()));
      return;
    } catch (NoSuchFileException e) {
      return;
    }
    if (run.end() > logEnd) {
      quarantine(file, "it covers messages up to " + (run.end() - 1) + ", which the log has not");
    } else if (runs.stream()
        .anyMatch(newer -> newer.from() < run.end() && run.from() < newer.end())) {
      Files.delete(file); // after a crash during a merge: the newer one has all of it
    } else {
      runs.add(run);
    }
  }

  List<KeyRun> all() {
    return runs;
  }

  Gap gap(long first) {
    long covered = first;
    for (KeyRun run : runs) {
      if (run.from() > covered) {
        return new Gap(covered, run.from());
      }
      covered = Math.max(covered, run.end());
    }
    return new Gap(covered, Long.MAX_VALUE);
  }

  /** Logs which messages an opening has to index again, if there are many or a run is missing. */
  void logGaps(long first, long end) {
    Gap gap = gap(first);
    if (gap.end() != Long.MAX_VALUE && !damaged) {
      LOG.warn(
          "Queue {}: its index of keys in {} lacks sequences {} to {}; indexing them again",
          queue,
          directory,
          gap.from(),
          gap.end() - 1);
    } else if (end - gap.from() > MANY) {
      LOG.info("Queue {}: indexing the keys from sequence {} to {}", queue, gap.from(), end - 1);
    }
  }

  void write(KeyTable table, long from, long end) throws IOException {
    KeyRun written;
    try (RunWriter writer = new RunWriter(directory, identity, ++number)) {
      for (long hash : table.sorted()) {
        writer.add(hash, table.find(hash));
      }
      written = writer.finish(from, end);
    }
    int at = 0;
    while (at < runs.size() && runs.get(at).from() < from) {
      at++;
    }
    runs.add(at, written);
  }

  /**
   * Returns what is to be merged next, null if nothing is: consecutive runs without a gap, or the
   * oldest alone if most of it is below the oldest message that can be read. Removes the runs that
   * are entirely below that.
   */
  @Nullable RunMerge nextMerge(long first) throws IOException {
    while (!runs.isEmpty() && runs.get(0).end() <= first) {
      Files.deleteIfExists(runs.remove(0).file());
    }
    for (int newest = runs.size() - 1; newest > 0; newest--) {
      int oldest = oldestToMerge(newest);
      if (oldest < newest) {
        return new RunMerge(List.copyOf(runs.subList(oldest, newest + 1)), ++number, first);
      }
    }
    return !runs.isEmpty() && isMostlyOver(runs.get(0), first)
        ? new RunMerge(List.of(runs.get(0)), ++number, first)
        : null;
  }

  private int oldestToMerge(int newest) {
    int oldest = newest;
    long sum = runs.get(newest).weight();
    while (oldest > 0
        && runs.get(oldest - 1).end() == runs.get(oldest).from()
        && runs.get(oldest - 1).weight() <= RATIO * sum) {
      oldest--;
      sum += runs.get(oldest).weight();
    }
    return oldest;
  }

  private static boolean isMostlyOver(KeyRun run, long first) {
    return first - run.from() > (run.end() - run.from()) / 2
        && run.header().count() > RunHeader.PAGE_ENTRIES;
  }

  /** Replaces runs by the one they were merged to, unless one of them was quarantined since. */
  void replace(List<KeyRun> inputs, KeyRun merged) throws IOException {
    if (!runs.containsAll(inputs)) {
      Files.delete(merged.file());
      return;
    }
    int at = runs.indexOf(inputs.get(0));
    runs.removeAll(inputs);
    runs.add(at, merged);
    for (KeyRun input : inputs) {
      Files.deleteIfExists(input.file());
    }
  }

  /** Quarantines a damaged run; what it covered is a gap then. */
  void quarantine(KeyRun run, String what) {
    runs.remove(run);
    try {
      quarantine(run.file(), what);
    } catch (IOException e) {
      LOG.warn("Queue {}: {}: {}; and it cannot be quarantined", queue, run.file(), what, e);
    }
  }

  private void quarantine(Path file, String what) throws IOException {
    damaged = true;
    Path aside = DurableFiles.quarantine(file);
    LOG.warn(
        "Queue {}: damaged: {}, of its index of keys: {}; kept as {}, and made again from the log",
        queue,
        file,
        what,
        aside.getFileName());
  }
}
