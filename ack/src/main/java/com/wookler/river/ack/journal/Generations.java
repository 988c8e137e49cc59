package com.wookler.river.ack.journal;

import com.wookler.river.common.file.DurableFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The numbered files in a subscriber's directory: {@code ack-7.snap} and {@code ack-7.log}. The
 * state is the newest sound snapshot and every log from its number on, in order. Two snapshots and
 * the logs from the older one on are kept; the space of files that are not needed any more is used
 * for the next ones ({@code ack-spare-7.log}, at most as many as there are logs, and {@code
 * ack-spare.snap}), so that this works on a full disk.
 */
final class Generations {
  private static final String PREFIX = "ack-";
  private static final String SPARE = PREFIX + "spare-";
  private static final String LOG = ".log";
  private static final String SNAPSHOT = ".snap";
  private static final int MAX_DIGITS = 18;
  private static final int KEPT = 2;

  private final Path directory;
  private final Owner owner;

  Generations(Path directory, Owner owner) {
    this.directory = directory;
    this.owner = owner;
  }

  record Numbered(long generation, boolean log, boolean corrupt, Path path) {}

  Path directory() {
    return directory;
  }

  Owner owner() {
    return owner;
  }

  /** Returns whether the files belong to another process now, so that none may be changed. */
  boolean isLost() {
    return owner.health().get() == Health.LOST;
  }

  Path log(long generation) {
    return directory.resolve("ack-" + generation + ".log");
  }

  Path snapshot(long generation) {
    return directory.resolve("ack-" + generation + ".snap");
  }

  /** Returns the logs that are out of use. */
  List<Path> spareLogs() throws IOException {
    List<Path> spare = new ArrayList<>();
    for (String name : LedgerFiles.names(directory)) {
      if (number(name, SPARE, LOG) >= 0) {
        spare.add(directory.resolve(name));
      }
    }
    return spare;
  }

  Path spareSnapshot() {
    return directory.resolve("ack-spare.snap");
  }

  List<Numbered> list() throws IOException {
    return numbered(directory, LedgerFiles.names(directory));
  }

  /** Returns the numbered files among those in a directory, by number. */
  static List<Numbered> numbered(Path directory, List<String> names) {
    List<Numbered> found = new ArrayList<>(names.size());
    for (String name : names) {
      String whole = DurableFiles.unquarantined(name);
      boolean corrupt = !whole.equals(name);
      boolean log = whole.endsWith(LOG);
      long generation = number(whole, PREFIX, log ? LOG : SNAPSHOT);
      if (generation >= 0) {
        found.add(new Numbered(generation, log, corrupt, directory.resolve(name)));
      }
    }
    found.sort(Comparator.comparingLong(Numbered::generation));
    return found;
  }

  /** Returns the number between a prefix and an ending, -1 if the name has none. */
  private static long number(String name, String prefix, String ending) {
    int from = prefix.length();
    int to = name.length() - ending.length();
    if (to <= from
        || to - from > MAX_DIGITS
        || !name.startsWith(prefix)
        || !name.endsWith(ending)) {
      return -1;
    }
    long number = 0;
    for (int i = from; i < to; i++) {
      char digit = name.charAt(i);
      if (digit < '0' || digit > '9') {
        return -1;
      }
      number = number * 10 + (digit - '0');
    }
    return number;
  }

  /** Writes the snapshot of a generation; when this returns it survives a power loss. */
  void writeSnapshot(Snapshot state, long generation) throws IOException {
    placeSnapshot(state, generation);
    DurableFiles.forceDirectory(directory);
  }

  /** Like {@link #writeSnapshot}, but the directory is still to be forced. */
  void placeSnapshot(Snapshot state, long generation) throws IOException {
    if (!Files.exists(spareSnapshot())) {
      DurableFiles.createFile(spareSnapshot());
    }
    DurableFiles.overwrite(spareSnapshot(), state.encode(generation, owner));
    DurableFiles.move(spareSnapshot(), snapshot(generation));
  }

  /** Removes what the two newest snapshots don't need. */
  void prune() throws IOException {
    List<Numbered> files = list();
    List<Long> snapshots =
        files.stream().filter(f -> !f.log() && !f.corrupt()).map(Numbered::generation).toList();
    if (snapshots.size() < KEPT) {
      return;
    }
    long oldest = snapshots.get(snapshots.size() - KEPT);
    int logs = 0;
    for (Numbered file : files) {
      if (file.generation() >= oldest) {
        logs += file.log() ? 1 : 0;
      } else if (!file.corrupt() && file.log()) {
        recycleLog(file.path());
      } else if (!file.corrupt()) {
        DurableFiles.move(file.path(), spareSnapshot());
      }
    }
    List<Path> spare = spareLogs();
    for (Path extra : spare.subList(Math.min(logs, spare.size()), spare.size())) {
      Files.delete(extra);
    }
  }

  /** Takes a log out of use. */
  void recycleLog(Path path) throws IOException {
    String name = String.valueOf(path.getFileName());
    DurableFiles.move(path, path.resolveSibling(name.replace("ack-", "ack-spare-")));
  }
}
