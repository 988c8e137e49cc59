package com.wookler.river.core.ids;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** The files of ids: {@code ids-000000000001} and so on, and those that were quarantined. */
public final class IdFiles {
  static final String CORRUPT = ".corrupt";

  private static final String PREFIX = "ids-";

  private IdFiles() {}

  static Path path(Path directory, long number) {
    return directory.resolve(String.format("%s%012d", PREFIX, number));
  }

  private static long number(Path file) {
    return Long.parseLong(String.valueOf(file.getFileName()).substring(PREFIX.length()));
  }

  /** Returns the files of a directory by their numbers; none if there is no directory. */
  static NavigableMap<Long, Path> list(Path directory) throws IOException {
    TreeMap<Long, Path> found = new TreeMap<>();
    for (Path file : list(directory, PREFIX + "\\d{12,18}")) {
      found.put(number(file), file);
    }
    return found;
  }

  /** Returns what was quarantined there as damaged. */
  public static List<Path> setAside(Path directory) throws IOException {
    return list(directory, PREFIX + ".*\\" + CORRUPT);
  }

  private static List<Path> list(Path directory, String names) throws IOException {
    List<Path> found = new ArrayList<>();
    try (DirectoryStream<Path> all =
        Files.newDirectoryStream(
            directory, file -> String.valueOf(file.getFileName()).matches(names))) {
      all.forEach(found::add);
    } catch (NoSuchFileException e) {
      return found;
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    found.sort(null);
    return found;
  }

  /**
   * Compares the files that are there with what the newest of them says of those before it.
   *
   * @param found what was read of each file, by its number
   * @param faults gets what is wrong with a file that is missing, or sound and not the same any
   *     more; has what is wrong with the others
   */
  static void compare(Map<Long, IdScan> found, Map<Long, String> faults) {
    for (IdHeader.Entry entry : needed(found)) {
      IdScan scan = found.get(entry.number());
      if (scan == null) {
        faults.put(entry.number(), "is missing");
      } else if (scan.whole() != entry.length() || scan.digest() != entry.digest()) {
        faults.putIfAbsent(entry.number(), "is not what it was when it was completed");
      }
    }
  }

  /**
   * Returns the files that the newest one names, but for those of which all ids had left the
   * window.
   */
  private static List<IdHeader.Entry> needed(Map<Long, IdScan> found) {
    List<IdHeader.Entry> before = List.of();
    long oldest = 0;
    for (IdScan scan : new TreeMap<>(found).values()) {
      before = scan.header() == null ? before : scan.header().before();
      oldest = Math.max(oldest, scan.oldest());
    }
    long needed = oldest;
    return before.stream().filter(entry -> entry.number() >= needed).toList();
  }

  /** Returns how many ids were in these files, as far as another one says it. */
  static long missing(Map<Long, IdScan> found, Set<Long> faulty) {
    return needed(found).stream()
        .filter(entry -> faulty.contains(entry.number()))
        .mapToLong(entry -> entry.ids() - ids(found.get(entry.number())))
        .sum();
  }

  private static int ids(@Nullable IdScan scan) {
    return scan == null ? 0 : scan.ids();
  }

  /**
   * Returns why sound files, of a queue that has begun some, do not have the ids of all messages
   * before the log, whose ids nothing else has; empty if they do.
   *
   * @param isEmpty whether there are no files
   * @param covered they have all ids of messages below this sequence
   * @param first sequence of the log
   * @param end of the log
   */
  static String incomplete(Path directory, boolean isEmpty, long covered, long first, long end) {
    if (isEmpty) {
      return end > 0 ? directory + " has none" : "";
    }
    return covered < first
        ? directory + " has those of messages below sequence " + covered + " only"
        : "";
  }

  /**
   * Proves the files of ids of a queue; reads only, also while a process has the queue open.
   *
   * @param directory {@code ids} in the queue's directory
   * @param expected whether the queue has begun such files
   * @param first sequence of the log
   * @param end of the log
   * @param damage gets each file that is missing or not what was written, and what is wrong
   * @return how many files there are
   */
  public static int verify(
      Path directory,
      UUID queue,
      boolean expected,
      long first,
      long end,
      BiConsumer<Path, String> damage)
      throws IOException {
    NavigableMap<Long, Path> files = list(directory);
    Map<Long, IdScan> found = new TreeMap<>();
    Map<Long, String> faults = new TreeMap<>();
    for (Map.Entry<Long, Path> entry : files.entrySet()) {
      try {
        IdScan scan = IdScan.of(Files.readAllBytes(entry.getValue()), (record, at) -> true);
        found.put(entry.getKey(), scan);
        String fault = scan.fault(entry.getKey(), queue, entry.getKey().equals(files.lastKey()));
        if (fault != null) {
          faults.put(entry.getKey(), fault);
        }
      } catch (NoSuchFileException e) {
        // its ids have left the window meanwhile, as a newer file says; else it is missing
      }
    }
    compare(found, faults);
    faults.forEach((number, what) -> damage.accept(path(directory, number), what));
    if (faults.isEmpty() && (expected || Files.isDirectory(directory))) {
      long covered = found.values().stream().mapToLong(IdScan::covered).max().orElse(0);
      String what = incomplete(directory, files.isEmpty(), covered, first, end);
      if (!what.isEmpty()) {
        damage.accept(directory, what);
      }
    }
    return found.size();
  }
}
