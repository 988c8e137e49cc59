package com.wookler.river.common.removed;

import com.wookler.river.common.file.RecordFile;
import com.wookler.river.common.file.Sealed;
import com.wookler.river.common.file.Series;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.UUID;

/**
 * The files of a queue with the sequences that were removed, {@code removed/removed-000000000001}
 * and so on, of kind {@code REM}, version 1. The newest holds all; there is another only where the
 * process ended while it was written. The content of a record, little-endian:
 *
 * <pre>
 *       0     1  1: removed; 2: replaced if the log has a message that says so; 3: it has none
 *       1     8  the first sequence; of kinds 2 and 3 the one that is replaced
 *       9     8  the sequence after the last; of kind 2 the one from which the log is searched
 * </pre>
 */
public final class RemovedFiles {
  /** The directory of the files, within the queue's. */
  public static final String DIRECTORY = "removed";

  static final byte REMOVED = 1;
  static final byte REPLACING = 2;
  static final byte KEPT = 3;
  static final int CONTENT = 17;
  static final int RECORD = Series.PREFIX_BYTES + CONTENT;
  static final Series FILES =
      new Series("removed-", new Sealed("REM", 1), CONTENT, CONTENT, CONTENT);

  private static final int HEADER_MOST = 1 << 10;

  final NavigableMap<Long, RecordFile> files = new TreeMap<>();
  final Map<Path, String> faults = new TreeMap<>();
  final Map<Long, Long> replacing = new TreeMap<>(); // the sequences, and from where to search
  SequenceRanges removed = SequenceRanges.NONE;
  private final List<SequenceRanges> found = new ArrayList<>();

  private RemovedFiles() {}

  /** Reads what can be read; what cannot is among the faults. */
  static RemovedFiles read(Path directory, UUID queue, boolean expected) throws IOException {
    RemovedFiles read = new RemovedFiles();
    NavigableMap<Long, Path> paths = FILES.list(directory);
    for (long number : paths.keySet()) {
      RecordFile file = new RecordFile(FILES, directory, queue, number, true);
      try {
        read.read(file, number == paths.lastKey() && (paths.size() > 1 || !expected));
        read.files.put(number, file);
      } catch (NoSuchFileException e) {
        expected = true; // a newer one has replaced it meanwhile, or else it is missing
      }
    }
    if (expected && paths.isEmpty()) {
      read.faults.put(directory, "has no file");
    }
    read.removed = SequenceRanges.union(read.found);
    read.replacing.keySet().removeIf(read.removed::contains);
    return read;
  }

  /** Reads a file; one that may have been begun only may be torn in its header, too. */
  private void read(RecordFile file, boolean begun) throws IOException {
    Series.Header header = file.header(HEADER_MOST);
    int before = found.size();
    long size = file.size();
    file.scan(
        header.end(),
        size,
        new RecordFile.Visitor() {
          @Override
          public boolean record(ByteBuffer record, long offset, int bytes) {
            add(record);
            return true;
          }

          @Override
          public void damaged(long from, long to) {
            if (to < size || isDamaged(file.path(), from, to)) { // else a kill has torn it
              faults.putIfAbsent(file.path(), "is damaged at byte " + from);
            }
          }
        });
    if (!header.fault().isEmpty() && (!begun || found.size() > before)) {
      faults.put(file.path(), header.fault());
    }
  }

  /** Returns whether the end of a file has as much as a whole record, and not of zeros only. */
  private static boolean isDamaged(Path file, long from, long to) {
    if (to - from < RECORD) {
      return false;
    }
    try (FileChannel in = FileChannel.open(file)) {
      ByteBuffer tail = ByteBuffer.allocate(RECORD);
      int read = in.read(tail, from);
      return read > 0 && ByteBuffer.allocate(read).mismatch(tail.flip()) >= 0;
    } catch (IOException e) {
      return true;
    }
  }

  private void add(ByteBuffer record) {
    long first = record.getLong(Series.PREFIX_BYTES + 1);
    long end = record.getLong(Series.PREFIX_BYTES + 9);
    byte kind = record.get(Series.PREFIX_BYTES);
    if (kind == REMOVED) {
      found.add(SequenceRanges.between(first, end));
    } else if (kind == REPLACING) {
      replacing.put(first, end);
    } else {
      replacing.remove(first);
    }
  }

  /**
   * Returns what is wrong with the files of a queue, also while a process has it open; reads only.
   *
   * @param expected whether the queue has begun such files
   */
  public static Map<Path, String> faults(Path queueDirectory, UUID queue, boolean expected)
      throws IOException {
    return read(queueDirectory.resolve(DIRECTORY), queue, expected).faults;
  }

  /** Returns the sequences that were removed, of a queue that may be open; reads only. */
  public static SequenceRanges removed(Path queueDirectory, UUID queue) throws IOException {
    return read(queueDirectory.resolve(DIRECTORY), queue, false).removed;
  }

  /** Returns the files that were quarantined as damaged. */
  public static List<Path> quarantined(Path queueDirectory) throws IOException {
    return FILES.quarantined(queueDirectory.resolve(DIRECTORY));
  }
}
