package com.wookler.river.core.keys;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.message.QueueClosedException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Knows where the last message of each key stands.
 *
 * <p>The index follows the log behind the publishers: its owner calls {@link #index} in the
 * background, and whoever asks brings it up to the log's end first. The newest keys are in a table
 * of {@value KeyTable#FULL} hashes. When that is full, or covers a million messages, it is written
 * as a run: a file of hashes in order that never changes. Runs are merged by {@link #merge} so that
 * each is more than twice as large as all newer ones together. So there are a few of them however
 * many keys, and a look-up reads a few pages of each. In memory there are the table, and a page a
 * run: about 3 MB.
 *
 * <p><b>The log is the truth.</b> A run is written once the log has forced all that it covers, and
 * is forced before it has its name. What no run covers is read from the log again: after a crash
 * the newest messages; all of them when the index was turned on late; and what a run covered that
 * is missing, damaged or another queue's. Such a run is quarantined.
 *
 * <p>A hash is no proof: two keys may have one. The caller reads the message, and where it is of
 * another key, or gone, looks for an older one in the log itself.
 *
 * <p>Thread-safe. A look-up may wait for a step of the background: the reading of about a thousand
 * messages, or the writing of 1 MB.
 */
public final class KeyIndex implements AutoCloseable {
  /** There is no message with this key. */
  public static final long NONE = KeyTable.NONE;

  /** Messages without many keys after which a run is written all the same. */
  private static final long MOST_COVERED = 1_000_000;

  private static final Logger LOG = LoggerFactory.getLogger(KeyIndex.class);

  private final String queue;
  private final Path directory;
  private final UUID identity;
  private final KeySource source;
  private final KeyHash hash;
  private final ReentrantLock lock = new ReentrantLock(true); // lookups do not wait for a backlog

  @GuardedBy("lock")
  private final KeyRuns runs;

  @GuardedBy("lock")
  private final KeyTable table = new KeyTable();

  @GuardedBy("lock")
  private long from; // the table covers the messages from this one

  @GuardedBy("lock")
  private long next; // up to this one

  @GuardedBy("lock")
  private long limit; // and is to cover those up to here, which a run covers

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
    this.hash = new KeyHash(identity);
  }

  /**
   * Takes up the runs of a directory, which is made if it is not there.
   *
   * @param queue name of the queue, for texts
   * @param identity of the queue
   * @throws RiverException the directory cannot be read or written
   */
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

  /**
   * Indexes some messages, about a thousand, or writes a run.
   *
   * @return whether there is more to do
   * @throws RiverException something cannot be read or written; the next call tries it again
   */
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
      runs.tellGaps(source.first(), source.end());
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
   * Returns where the last message with this key stands that was published before this call, or
   * another one's with the same hash.
   *
   * @return {@link #NONE} if there is none; a message that cannot be read any more if it was the
   *     last
   * @throws RiverException the index cannot be brought up to the log's end, or read
   */
  public long find(String key) {
    long end = source.end();
    while (true) {
      lock.lock();
      try {
        if (closed) {
          throw new QueueClosedException("queue " + queue + " is closed");
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

  /** Null if a run turns out to be damaged, which is then covered no more. */
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
      } catch (RunDamage e) {
        setAside(run, e);
        return null;
      }
      if (found != NONE) {
        return found;
      }
    }
    return NONE;
  }

  @GuardedBy("lock")
  private void setAside(KeyRun run, RunDamage damage) {
    runs.setAside(run, damage.what());
    begin();
  }

  /**
   * Removes what is covered by nothing that can be read any more, and merges some runs, if it is
   * time for that; to be called in the background, by one thread at a time.
   *
   * @return whether it did
   * @throws RiverException something cannot be read or written; the next call tries it again
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
    } catch (RunMerge.Damaged e) {
      lock.lock();
      try {
        if (runs.all().contains(e.run())) {
          setAside(e.run(), e.damage());
        }
      } finally {
        lock.unlock();
      }
    } catch (IOException e) {
      throw new RiverException("queue " + queue + ": cannot merge runs of its index", e);
    }
    return true;
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

  /** Returns how many files there are. */
  public int files() {
    lock.lock();
    try {
      return runs.all().size();
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

  /** For tests: what is covered, run by run. */
  List<KeyRun> all() {
    lock.lock();
    try {
      return List.copyOf(runs.all());
    } finally {
      lock.unlock();
    }
  }
}
