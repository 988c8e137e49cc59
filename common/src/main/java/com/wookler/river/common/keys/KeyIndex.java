package com.wookler.river.common.keys;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.errors.DamagedException;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.common.file.KeyedHash;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the last message of each key.
 *
 * <p>The index is brought up to the log's end in the background, by {@link #index}, and before each
 * look-up. The newest keys are in a table of {@value KeyTable#FULL} hashes. When that is full, or
 * covers a million messages, it is written as a run: a file of hashes in order that never changes.
 * {@link #merge} keeps each run more than twice as large as all newer ones together. So there are a
 * few of them however many keys, and a look-up reads a few pages of each. In memory are the table,
 * and a page for each run: about 3 MB.
 *
 * <p><b>The log is the truth.</b> A run is written once the log has forced all that it covers, and
 * is forced before it is renamed to its name. What no run covers is read from the log again: after
 * a crash the newest messages; all of them when the index was turned on late; and what a run
 * covered that is missing, damaged or another queue's. Such a run is quarantined.
 *
 * <p>Two keys may have the same hash. The caller reads the message, and if it has another key, or
 * is lost, looks for an older one in the log itself.
 *
 * <p>Thread-safe. A look-up may wait for a step in the background: for reading about a thousand
 * messages, or writing 1 MB.
 */
public final class KeyIndex implements AutoCloseable {
  /** Returned when there is no message with the key. */
  public static final long NONE = KeyTable.NONE;

  // messages after which a run is written even if they have few keys
  private static final long MOST_COVERED = 1_000_000;
  private static final Logger LOG = LoggerFactory.getLogger(KeyIndex.class);

  private final String queue;
  private final Path directory;
  private final UUID identity;
  private final KeySource source;
  private final KeyedHash hash;
  private final ReentrantLock lock = new ReentrantLock(true); // look-ups get their turn

  @GuardedBy("lock")
  private final KeyRuns runs;

  @GuardedBy("lock")
  private final KeyTable table = new KeyTable();

  @GuardedBy("lock")
  private long from; // the table covers the messages from this one

  @GuardedBy("lock")
  private long next; // up to this one, which it does not cover

  @GuardedBy("lock")
  private long limit; // and is to cover those before this one, which a run covers

  @GuardedBy("lock")
  private boolean begun; // whether these three are known

  @GuardedBy("lock")
  private boolean closed;

  private volatile long indexed; // next, if the table is at the log's end; else 0

  private KeyIndex(Path directory, String queue, UUID identity, KeySource source, KeyRuns runs) {
    this.directory = directory;
    this.queue = queue;
    this.identity = identity;
    this.source = source;
    this.runs = runs;
    this.hash = KeyedHash.of(identity);
  }

  /** Opens the runs of a directory, which it creates if there is none. */
  public static KeyIndex open(Path directory, String queue, UUID identity, KeySource source) {
    try {
      KeyRuns runs = KeyRuns.open(directory, queue, identity, source.end());
      return new KeyIndex(directory, queue, identity, source, runs);
    } catch (IOException e) {
      throw new RiverException("queue " + queue + ": cannot open the index in " + directory, e);
    }
  }

  /** Returns whether {@link #index} has something to do; cheap. */
  public boolean isBehind() {
    return indexed < source.end();
  }

  /** Indexes about a thousand messages, or writes a run; returns whether there is more to do. */
  public boolean index() {
    lock.lock();
    try {
      return !closed && indexSome();
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private boolean indexSome() {
    if (!begun) {
      begin();
      runs.logGaps(source.first(), source.end());
    }
    if (isDue()) {
      write();
    }
    long to = Math.min(limit, source.end());
    if (next < to) {
      KeyTable into = table;
      next = source.read(next, to, (sequence, key) -> into.put(hash.of(key), sequence));
    }
    if (isDue()) {
      write();
    }
    indexed = limit == Long.MAX_VALUE ? next : 0;
    return limit != Long.MAX_VALUE || next < source.end();
  }

  /** Finds the oldest message that no run covers. */
  @GuardedBy("lock")
  private void begin() {
    KeyRuns.Gap gap = runs.gap(source.first());
    table.clear();
    from = gap.from();
    next = gap.from();
    limit = gap.end();
    begun = true;
    indexed = 0;
  }

  @GuardedBy("lock")
  private boolean isDue() {
    return table.isFull() || next - from >= MOST_COVERED || next >= limit;
  }

  @GuardedBy("lock")
  private void write() {
    try {
      source.force(next);
      runs.write(table, from, next);
    } catch (IOException e) {
      throw new RiverException("queue " + queue + ": cannot write its index of keys", e);
    }
    begin();
  }

  /**
   * Returns the sequence of the last message published before this call with this key, or one of
   * the same hash, even if it cannot be read any more; {@link #NONE} without one.
   */
  public long find(String key) {
    long end = source.end();
    while (true) {
      lock.lock();
      try {
        if (closed) {
          throw new IllegalStateException("queue " + queue + " is closed");
        }
        if (limit == Long.MAX_VALUE && begun && next >= end) {
          Long found = findIndexed(hash.of(key));
          if (found != null) {
            return found;
          }
        }
        indexSome();
      } finally {
        lock.unlock();
      }
    }
  }

  /** Returns null if a run is damaged; it is quarantined, and what it covered indexed again. */
  @GuardedBy("lock")
  private @Nullable Long findIndexed(long hashed) {
    long found = table.find(hashed);
    if (found != NONE) {
      return found;
    }
    for (int i = runs.all().size() - 1; i >= 0; i--) {
      KeyRun run = runs.all().get(i);
      try {
        found = run.find(hashed);
      } catch (DamagedException e) {
        quarantine(run, e);
        return null;
      }
      if (found != NONE) {
        return found;
      }
    }
    return NONE;
  }

  @GuardedBy("lock")
  private void quarantine(KeyRun run, Exception damage) {
    runs.quarantine(run, String.valueOf(damage.getMessage()));
    begin();
  }

  /**
   * Removes the runs whose messages cannot be read any more, and merges runs if that is due;
   * returns whether it was. Called in the background, by one thread at a time.
   */
  public boolean merge() {
    RunMerge merge;
    lock.lock();
    try {
      merge = closed ? null : runs.nextMerge(source.first());
    } catch (IOException e) {
      throw new RiverException("queue " + queue + ": cannot remove old runs of its index", e);
    } finally {
      lock.unlock();
    }
    if (merge == null) {
      return false;
    }
    try {
      replace(merge, merge.run(directory, identity));
    } catch (DamagedException e) {
      merge.inputs().forEach(this::verify);
    } catch (IOException e) {
      throw new RiverException("queue " + queue + ": cannot merge runs of its index", e);
    }
    return true;
  }

  private void verify(KeyRun run) {
    try {
      run.verify();
    } catch (DamagedException | NoSuchFileException e) {
      lock.lock();
      try {
        if (runs.all().contains(run)) {
          quarantine(run, e);
        }
      } finally {
        lock.unlock();
      }
    } catch (IOException e) {
      throw new RiverException("queue " + queue + ": cannot read " + run.file(), e);
    }
  }

  private void replace(RunMerge merge, KeyRun merged) throws IOException {
    lock.lock();
    try {
      if (!closed) { // else the next opening finds out which of them count
        runs.replace(merge.inputs(), merged);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Writes what is in memory, if the log can be forced. */
  @Override
  public void close() {
    lock.lock();
    try {
      if (closed) {
        return;
      }
      closed = true;
      try {
        if (begun && next > from) {
          write();
        }
      } catch (RiverException e) {
        LOG.warn("Queue {}: the next start indexes the newest messages again", queue, e);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Returns the files that were quarantined as damaged. */
  public static List<Path> quarantined(Path directory) throws IOException {
    return RunHeader.FILES.quarantined(directory);
  }

  /**
   * Verifies the files of an index, also while it is open, and returns their number; reads only.
   * {@code damage} gets each file that is not what was written, and what is wrong.
   */
  public static int verify(Path directory, UUID queue, BiConsumer<Path, String> damage)
      throws IOException {
    int count = 0;
    for (var file : RunHeader.FILES.list(directory).entrySet()) {
      try {
        KeyRun run = KeyRun.open(directory, queue, file.getKey());
        count++;
        run.verify();
      } catch (DamagedException e) {
        damage.accept(file.getValue(), String.valueOf(e.getMessage()));
      } catch (NoSuchFileException e) {
        // merged into another meanwhile
      }
    }
    return count;
  }

  /** Returns the runs; for tests. */
  List<KeyRun> all() {
    lock.lock();
    try {
      return List.copyOf(runs.all());
    } finally {
      lock.unlock();
    }
  }
}
