package com.wookler.river.common.ids;

import com.wookler.river.common.file.RecordFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.BiConsumer;

/** Compares the files of ids with what the newest of them records of those before it. */
public final class IdFiles {
  private final Path directory;
  private final NavigableMap<Long, IdScan> found = new TreeMap<>();
  private final NavigableMap<Long, String> faults = new TreeMap<>();

  IdFiles(Path directory) {
    this.directory = directory;
  }

  /** Adds a file that was read; returns whether it is intact, perhaps but for a torn end. */
  boolean add(long number, IdScan scan, boolean last) {
    found.put(number, scan);
    String fault = scan.fault(last);
    if (!fault.isEmpty()) {
      faults.put(number, fault);
    }
    return fault.isEmpty();
  }

  void fault(long number, String what) {
    faults.put(number, what);
  }

  /**
   * Returns what is wrong with the files, once all were added: with those that are damaged, missing
   * or not the recorded ones; or if none is, whether they lack ids of messages before the log,
   * which are nowhere else.
   *
   * @param expected whether the queue has created files
   */
  Map<Path, String> faults(boolean expected, long first, long end) {
    for (IdHeader.Entry entry : needed()) {
      IdScan scan = found.get(entry.number());
      if (scan == null) {
        faults.put(entry.number(), "is missing");
      } else if (scan.whole != entry.length() || (int) scan.digest.getValue() != entry.digest()) {
        faults.putIfAbsent(entry.number(), "is not what it was when it was completed");
      }
    }
    Map<Path, String> all = new LinkedHashMap<>();
    faults.forEach((number, what) -> all.put(IdHeader.FILES.path(directory, number), what));
    if (all.isEmpty() && (expected || Files.isDirectory(directory))) {
      long covered = found.values().stream().mapToLong(scan -> scan.covered).max().orElse(end);
      if (found.isEmpty() && end > 0) {
        all.put(directory, "has none");
      } else if (covered < first) {
        all.put(directory, "has those of messages below sequence " + covered + " only");
      }
    }
    return all;
  }

  /** Returns the files that the newest one names, except those whose ids had left the window. */
  private List<IdHeader.Entry> needed() {
    List<IdHeader.Entry> before = List.of();
    long oldest = 0;
    for (IdScan scan : found.values()) {
      IdHeader header = scan.header;
      before = header == null ? before : header.before();
      oldest = Math.max(oldest, scan.oldest);
    }
    long needed = oldest;
    return before.stream().filter(entry -> entry.number() >= needed).toList();
  }

  /** Returns how many ids of faulty files are lost, as far as another file records it. */
  long missing() {
    long missing = 0;
    for (IdHeader.Entry entry : needed()) {
      IdScan scan = found.get(entry.number());
      if (faults.containsKey(entry.number())) {
        missing += (long) entry.ids() - (scan == null ? 0 : scan.ids);
      }
    }
    return missing;
  }

  /** Returns the files that were quarantined as damaged. */
  public static List<Path> quarantined(Path directory) throws IOException {
    return IdHeader.FILES.quarantined(directory);
  }

  /**
   * Verifies the files of ids of a queue, also while a process has it open, and returns their
   * number; reads only.
   *
   * @param expected whether the queue has created such files
   * @param damage gets each file that is missing or not what was written, and what is wrong
   */
  public static int verify(
      Path directory,
      UUID queue,
      boolean expected,
      long first,
      long end,
      BiConsumer<Path, String> damage)
      throws IOException {
    IdFiles files = new IdFiles(directory);
    NavigableMap<Long, Path> paths = IdHeader.FILES.list(directory);
    for (long number : paths.keySet()) {
      try {
        RecordFile file = new RecordFile(IdHeader.FILES, directory, queue, number, true);
        files.add(number, new IdScan(file, (record, at) -> true), number == paths.lastKey());
      } catch (NoSuchFileException e) {
        // its ids have left the window meanwhile, as a newer file says; else it is missing
      }
    }
    files.faults(expected, first, end).forEach(damage);
    return files.found.size();
  }
}
