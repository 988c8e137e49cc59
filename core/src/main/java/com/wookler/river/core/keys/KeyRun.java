package com.wookler.river.core.keys;

import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.file.RecordFile;
import com.wookler.river.core.file.Sealed;
import com.wookler.river.core.file.Series;
import java.io.EOFException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.UUID;

/**
 * A file of hashes in order, each with its last sequence among those that the file covers; it never
 * changes. {@link RunHeader} has its format.
 *
 * <p>Hashes are spread evenly, so a search interpolates the page and is nearly always at most one
 * or two pages off: no index of the pages is needed. The file is opened for each search, so that an
 * idle index holds no descriptor. Not thread-safe.
 */
@SuppressWarnings("ByteBufferBackingArray") // pages are allocated on the heap
final class KeyRun {
  private static final int GUESSES = 4;

  private final Path file;
  private final RunHeader header;
  private final int seed;
  private final ByteBuffer page = Sealed.payload(RunHeader.PAGE_BYTES);

  KeyRun(Path file, RunHeader header) {
    this.file = file;
    this.header = header;
    this.seed = Series.seed(header.queue(), header.number());
  }

  /**
   * Reads the header of a file that an earlier run of the queue has written.
   *
   * @throws RunDamage it is damaged, or another queue's; its pages are checked when they are read
   */
  static KeyRun open(Path directory, UUID queue, long number) throws IOException, RunDamage {
    RecordFile file = new RecordFile(RunHeader.FILES, directory, queue, number, true);
    Series.Header found = file.header(RunHeader.PAGE_BYTES);
    ByteBuffer payload = found.payload();
    if (payload == null || !found.fault().isEmpty()) {
      throw new RunDamage("it " + found.fault());
    }
    RunHeader header = RunHeader.of(queue, number, payload);
    if (header.count() < 0 || header.from() > header.end() || file.size() != header.bytes()) {
      throw new RunDamage("its header does not fit its size");
    }
    return new KeyRun(file.path(), header);
  }

  Path file() {
    return file;
  }

  RunHeader header() {
    return header;
  }

  long from() {
    return header.from();
  }

  long end() {
    return header.end();
  }

  /** Returns what merging it costs: its entries, but at least as many as a page has. */
  long weight() {
    return Math.max(header.count(), RunHeader.PAGE_ENTRIES);
  }

  /**
   * Returns the last sequence of this hash; {@link KeyTable#NONE} if it is not there.
   *
   * @throws RiverException the file cannot be opened now, such as for want of descriptors
   */
  long find(long hash) throws RunDamage {
    try (RandomAccessFile in = RecordFile.open(file)) {
      return find(hash, in);
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  private static RunDamage unreadable(IOException e) {
    return new RunDamage(
        e instanceof EOFException
            ? "it is cut off"
            : e instanceof NoSuchFileException ? "it is missing" : "it cannot be read: " + e,
        e);
  }

  private long find(long hash, RandomAccessFile in) throws IOException, RunDamage {
    int low = 0;
    int high = header.pages() - 1;
    long lowest = Long.MIN_VALUE;
    long highest = Long.MAX_VALUE;
    for (int tries = 0; low <= high; tries++) {
      int at = tries < GUESSES ? guess(hash, lowest, highest, low, high) : (low + high) >>> 1;
      int entries = load(in, at);
      if (hash < hashAt(page, 0)) {
        high = at - 1;
        highest = hashAt(page, 0);
      } else if (hash > hashAt(page, entries - 1)) {
        low = at + 1;
        lowest = hashAt(page, entries - 1);
      } else {
        return findInPage(hash, entries);
      }
    }
    return KeyTable.NONE;
  }

  private static int guess(long hash, long lowest, long highest, int low, int high) {
    double part = ((double) hash - lowest) / ((double) highest - lowest);
    return Math.max(low, Math.min(high, low + (int) (part * (high - low + 1))));
  }

  private long findInPage(long hash, int entries) {
    int low = 0;
    int high = entries - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      long found = hashAt(page, middle);
      if (found == hash) {
        return sequenceAt(page, middle);
      }
      if (found < hash) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return KeyTable.NONE;
  }

  /** Reads and checks a page; returns its count of entries. */
  private int load(RandomAccessFile in, int number) throws IOException, RunDamage {
    int entries = header.entriesOf(number);
    in.seek((1L + number) * RunHeader.PAGE_BYTES);
    in.readFully(page.array());
    if (!header.isPage(page, number, seed)) {
      throw new RunDamage("page " + number + " is not what was written");
    }
    return entries;
  }

  private static long hashAt(ByteBuffer page, int entry) {
    return page.getLong(RunHeader.ENTRIES_AT + entry * RunHeader.ENTRY_BYTES);
  }

  private static long sequenceAt(ByteBuffer page, int entry) {
    return page.getLong(RunHeader.ENTRIES_AT + entry * RunHeader.ENTRY_BYTES + 8);
  }

  /** Reads all entries in order, with a page and a file handle of its own. */
  final class Cursor implements AutoCloseable {
    private final KeyRun run = new KeyRun(file, header);
    private final RandomAccessFile in;
    private int number = -1;
    private int entry;
    private int entries;

    Cursor() throws IOException {
      in = RecordFile.open(file);
    }

    /** Moves to the next entry, at first to the first one; returns false after the last one. */
    boolean next() throws RunDamage {
      if (++entry >= entries) {
        if (number + 1 >= header.pages()) {
          return false;
        }
        try {
          entries = run.load(in, ++number);
        } catch (IOException e) {
          throw unreadable(e);
        }
        entry = 0;
      }
      return true;
    }

    KeyRun of() {
      return KeyRun.this;
    }

    long hash() {
      return hashAt(run.page, entry);
    }

    long sequence() {
      return sequenceAt(run.page, entry);
    }

    @Override
    public void close() throws IOException {
      in.close();
    }
  }

  /**
   * Checks every entry.
   *
   * @throws RunDamage one is not what was written
   */
  void verify() throws IOException, RunDamage {
    try (Cursor cursor = new Cursor()) {
      long before = Long.MIN_VALUE;
      for (boolean first = true; cursor.next(); first = false) {
        if (!first && cursor.hash() <= before) {
          throw new RunDamage("its hashes are not in order");
        }
        if (cursor.sequence() < from() || cursor.sequence() >= end()) {
          throw new RunDamage("it has sequence " + cursor.sequence() + ", which it does not cover");
        }
        before = cursor.hash();
      }
    }
  }
}
