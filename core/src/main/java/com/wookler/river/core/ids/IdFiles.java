package com.wookler.river.core.ids;

import com.wookler.river.core.file.RecordFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.BiConsumer;

/** The files of ids: {@code ids-000000000001} and so on, and those that were quarantined. */
public final class IdFiles {
  private IdFiles() {}

  /** Returns the files that were quarantined as damaged. */
  public static List<Path> quarantined(Path directory) throws IOException {
    return IdHeader.FILES.quarantined(directory);
  }

  /**
   * Compares the files with what the newest of them records of those before it.
   *
   * @param found what was read of each file, by its number
   * @param faults has what is wrong with damaged files; gets what is wrong with those that are
   *     missing, or intact and not the recorded ones
   */
  static void compare(Map<Long, IdScan> found, Map<Long, String> faults) {
    for (IdHeader.Entry entry : needed(found)) {
      IdScan scan = found.get(entry.number());
      if (scan == null) {
        faults.put(entry.number(), "is missing");
      } else if (scan.whole != entry.length() || (int) scan.digest.getValue() != entry.digest()) {
        faults.putIfAbsent(entry.number(), "is not what it was when it was completed");
      }
    }
  }

  /** Returns the files that the newest one names, except those whose ids had left the window. */
  private static List<IdHeader.Entry> needed(Map<Long, IdScan> found) {
    List<IdHeader.Entry> before = List.of();
    long oldest = 0;
    for (IdScan scan : new TreeMap<>(found).values()) {
      IdHeader header = scan.header;
      before = header == null ? before : header.before();
      oldest = Math.max(oldest, scan.oldest);
    }
    long needed = oldest;
    return before.stream().filter(entry -> entry.number() >= needed).toList();
  }

  /**
   * Returns how many ids of damaged and missing files are lost, as far as another one records it.
   */
  static long missing(Map<Long, IdScan> found, Set<Long> faulty) {
    return needed(found).stream()
        .filter(entry -> faulty.contains(entry.number()))
        .mapToLong(
            entry -> {
              IdScan scan = found.get(entry.number());
              return (long) entry.ids() - (scan == null ? 0 : scan.ids);
            })
        .sum();
  }

  /**
   * Returns why the intact files of a queue that has created some lack ids of messages before the
   * log, which are nowhere else; empty if they lack none.
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
   * Verifies the files of ids of a queue; reads only, also while a process has the queue open.
   *
   * @param directory {@code ids} in the queue's directory
   * @param expected whether the queue has created such files
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
    NavigableMap<Long, Path> files = IdHeader.FILES.list(directory);
    Map<Long, IdScan> found = new TreeMap<>();
    Map<Long, String> faults = new TreeMap<>();
    for (long number : files.keySet()) {
      try {
        RecordFile file = new RecordFile(IdHeader.FILES, directory, queue, number, true);
        IdScan scan = new IdScan(file, (record, at) -> true);
        found.put(number, scan);
        String fault = scan.fault(number == files.lastKey());
        if (!fault.isEmpty()) {
          faults.put(number, fault);
        }
      } catch (NoSuchFileException e) {
        // its ids have left the window meanwhile, as a newer file says; else it is missing
      }
    }
    compare(found, faults);
    faults.forEach((number, what) -> damage.accept(IdHeader.FILES.path(directory, number), what));
    if (faults.isEmpty() && (expected || Files.isDirectory(directory))) {
      long covered = found.values().stream().mapToLong(scan -> scan.covered).max().orElse(0);
      String what = incomplete(directory, files.isEmpty(), covered, first, end);
      if (!what.isEmpty()) {
        damage.accept(directory, what);
      }
    }
    return found.size();
  }
}
