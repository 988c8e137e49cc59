package com.wookler.river.common.keys;

import com.wookler.river.common.errors.DamagedException;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.common.file.RecordFile;
import com.wookler.river.common.file.Sealed;
import com.wookler.river.common.file.Series;
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
 * idle index holds no descriptor.
 *
 * @param seed of its pages' checks
 */
record KeyRun(Path file, RunHeader header, int seed) {
  private static final int GUESSES = 4;

  KeyRun(Path file, RunHeader header) {
    this(file, header, Series.seed(header.queue(), header.number()));
  }

  /** Reads the header of a file of the queue, or throws; pages are checked when they are read. */
  static KeyRun open(Path directory, UUID queue, long number) throws IOException {
    RecordFile file = new RecordFile(RunHeader.FILES, directory, queue, number, true);
    Series.Header found = file.header(RunHeader.PAGE_BYTES);
    ByteBuffer payload = found.payload();
    if (payload == null || !found.fault().isEmpty()) {
      throw new DamagedException("it " + found.fault());
    }
    RunHeader header = RunHeader.of(queue, number, payload);
    if (header.count() < 0 || header.from() > header.end() || file.size() != header.bytes()) {
      throw new DamagedException("its header does not fit its size");
    }
    return new KeyRun(file.path(), header);
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
   * @throws DamagedException a page is not what was written, or the file is missing
   * @throws RiverException the file cannot be opened now, such as for want of descriptors
   */
  long find(long hash) {
    try (Cursor cursor = new Cursor()) {
      return cursor.find(hash);
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  private static DamagedException unreadable(IOException e) {
    String what = e instanceof EOFException ? "it is cut off" : "it cannot be read: " + e;
    return new DamagedException(e instanceof NoSuchFileException ? "it is missing" : what, e);
  }

  /** Checks every entry; throws if one is not what was written. */
  void verify() throws IOException {
    try (Cursor cursor = new Cursor()) {
      long before = Long.MIN_VALUE;
      for (boolean first = true; cursor.next(); first = false) {
        if (!first && cursor.hash() <= before) {
          throw new DamagedException("its hashes are not in order");
        }
        if (cursor.sequence() < from() || cursor.sequence() >= end()) {
          throw new DamagedException(
              "it has sequence " + cursor.sequence() + ", which it does not cover");
        }
        before = cursor.hash();
      }
    }
  }

  /** Reads entries through a page of memory. */
  @SuppressWarnings("ByteBufferBackingArray") // pages are on the heap
  final class Cursor implements AutoCloseable {
    private final RandomAccessFile in = RecordFile.open(file);
    private final ByteBuffer page = Sealed.payload(RunHeader.PAGE_BYTES);
    private int number = -1;
    private int entry;
    private int entries;

    Cursor() throws IOException {}

    /** Moves to the next entry, at first to the first one; returns false after the last one. */
    boolean next() {
      if (++entry >= entries) {
        if (number + 1 >= header.pages()) {
          return false;
        }
        try {
          load(number + 1);
        } catch (IOException e) {
          throw unreadable(e);
        }
      }
      return true;
    }

    KeyRun run() {
      return KeyRun.this;
    }

    long hash() {
      return hashAt(entry);
    }

    long sequence() {
      return page.getLong(RunHeader.entryAt(entry) + 8);
    }

    private long hashAt(int at) {
      return page.getLong(RunHeader.entryAt(at));
    }

    private void load(int at) throws IOException {
      in.seek((1L + at) * RunHeader.PAGE_BYTES);
      in.readFully(page.array());
      if (!header.isPage(page, at, seed)) {
        throw new DamagedException("page " + at + " is not what was written");
      }
      number = at;
      entries = header.entriesOf(at);
      entry = 0;
    }

    private long find(long hash) throws IOException {
      int low = 0;
      int high = header.pages() - 1;
      long lowest = Long.MIN_VALUE;
      long highest = Long.MAX_VALUE;
      for (int tries = 0; low <= high; tries++) {
        double part = ((double) hash - lowest) / ((double) highest - lowest);
        int guess = Math.max(low, Math.min(high, low + (int) (part * (high - low + 1))));
        load(tries < GUESSES ? guess : (low + high) >>> 1);
        if (hash < hashAt(0)) {
          high = number - 1;
          highest = hashAt(0);
        } else if (hash > hashAt(entries - 1)) {
          low = number + 1;
          lowest = hashAt(entries - 1);
        } else {
          return findInPage(hash);
        }
      }
      return KeyTable.NONE;
    }

    private long findInPage(long hash) {
      int low = 0;
      int high = entries - 1;
      while (low <= high) {
        entry = (low + high) >>> 1;
        if (hash() == hash) {
          return sequence();
        }
        if (hash() < hash) {
          low = entry + 1;
        } else {
          high = entry - 1;
        }
      }
      return KeyTable.NONE;
    }

    @Override
    public void close() throws IOException {
      in.close();
    }
  }
}
