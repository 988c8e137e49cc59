package com.wookler.river.core.ack;

import com.wookler.river.core.log.DurableFiles;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The numbered files in a subscriber's directory: {@code ack-7.snap} and {@code ack-7.log}. The
 * state is the newest sound snapshot and every log from its number on, in order. Two snapshots and
 * the logs from the older one on are kept; files that are not needed any more give their space to
 * the next ones ({@code ack-spare-7.log}, at most as many as there are logs, and {@code
 * ack-spare.snap}), so that a full disk doesn't stop this.
 */
final class Generations {
  static final String TEMPORARY = ".tmp";
  static final String CORRUPT = ".corrupt";

  private static final Pattern NAME =
      Pattern.compile("ack-([0-9]{1,18})\\.(log|snap)(\\.corrupt)?");
  private static final Pattern SPARE_LOG = Pattern.compile("ack-spare-[0-9]{1,18}\\.log");
  private static final int KEPT = 2;

  private final Path directory;
  private final Owner owner;

  Generations(Path directory, Owner owner) {
    this.directory = directory;
    this.owner = owner;
  }

  /** A numbered file. */
  record Numbered(long generation, boolean log, boolean corrupt, Path path) {}

  Path directory() {
    return directory;
  }

  Owner owner() {
    return owner;
  }

  /** Returns whether the files are not this process's own any more, so that none may be changed. */
  boolean isLost() {
    return owner.health().get() == Health.LOST;
  }

  Path log(long generation) {
    return directory.resolve("ack-" + generation + ".log");
  }

  Path snapshot(long generation) {
    return directory.resolve("ack-" + generation + ".snap");
  }

  /** Logs out of use. */
  List<Path> spareLogs() throws IOException {
    List<Path> spare = new ArrayList<>();
    for (Path path : paths()) {
      if (SPARE_LOG.matcher(String.valueOf(path.getFileName())).matches()) {
        spare.add(path);
      }
    }
    return spare;
  }

  Path spareSnapshot() {
    return directory.resolve("ack-spare.snap");
  }

  /** All numbered files, by number. */
  List<Numbered> list() throws IOException {
    List<Numbered> found = new ArrayList<>();
    for (Path path : paths()) {
      Matcher name = NAME.matcher(String.valueOf(path.getFileName()));
      if (name.matches()) {
        boolean log = "log".equals(name.group(2));
        boolean corrupt = name.group(3) != null;
        found.add(new Numbered(Long.parseLong(name.group(1)), log, corrupt, path));
      }
    }
    found.sort(Comparator.comparingLong(Numbered::generation));
    return found;
  }

  private List<Path> paths() throws IOException {
    List<Path> found = new ArrayList<>();
    try (DirectoryStream<Path> paths = Files.newDirectoryStream(directory, "ack-*")) {
      paths.forEach(found::add);
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    return found;
  }

  /** Writes the snapshot of a generation; when this returns it survives a power loss. */
  void writeSnapshot(AckState state, long generation) throws IOException {
    placeSnapshot(state, generation);
    DurableFiles.forceDirectory(directory);
  }

  /** Like {@link #writeSnapshot}, but the directory is still to be forced. */
  void placeSnapshot(AckState state, long generation) throws IOException {
    if (!Files.exists(spareSnapshot())) {
      Disk.createFile(spareSnapshot());
    }
    Disk.overwrite(spareSnapshot(), Snapshot.encode(state, generation, owner));
    Disk.rename(spareSnapshot(), snapshot(generation));
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
        Disk.rename(file.path(), spareSnapshot());
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
    Disk.rename(path, path.resolveSibling(name.replace("ack-", "ack-spare-")));
  }

  /** Takes a damaged file out of the way and keeps it. Returns its new path. */
  static Path setAside(Path path) throws IOException {
    Path aside = path.resolveSibling(path.getFileName() + CORRUPT);
    Disk.rename(path, aside);
    return aside;
  }
}
