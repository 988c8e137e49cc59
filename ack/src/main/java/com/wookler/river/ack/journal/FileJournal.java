package com.wookler.river.ack.journal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.ack.AckJournal;
import com.wookler.river.ack.Ring;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.common.file.DurableFiles;
import com.wookler.river.common.file.MappedFile;
import java.io.IOException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the journal in files: {@link Cursor}, {@link AckLog} and {@link Snapshot}.
 *
 * <p><b>Entries.</b> An entry is a few stores into a mapped file. When the log is full, the next
 * one, made ahead since the first entry of a run, is put into use. If the records since the last
 * copy then are more than a quarter of the entries of the ring, the state is copied again, a step
 * with each journal entry ({@link Snapshot}): so an acknowledgement copies no more than some
 * entries at any window, and never waits for a whole copy. The flusher writes the copy as the
 * snapshot of that log, removes what is not needed any more, and makes another log ahead. While one
 * copy is taken or written no other is begun: the logs since are kept, and recovery replays them.
 *
 * <p><b>Full disk.</b> Space is reused, so that this works for as long as snapshots don't grow. If
 * a log cannot be had after all, entries are counted instead of written, and a log is tried again
 * from time to time; the copy taken then has them all.
 *
 * <p><b>Threads.</b> The ledger writes entries, seeks and closes, under the subscriber's lock. The
 * flusher's work takes {@code maintenance} and never the subscriber's lock; {@code force} takes
 * {@code forcing} only. Order: subscriber's lock, maintenance, forcing.
 */
final class FileJournal implements AckJournal {
  // the number of entries that could not be written after which a new log is tried again
  private static final int RETRY_EVERY = 1024;
  // a copy is due when this many times the records since the last one reach the entries
  private static final int COPY_AFTER = 4;
  private static final AtomicLong EPOCHS = new AtomicLong();

  private static final Logger LOG = LoggerFactory.getLogger(FileJournal.class);

  private final Generations generations;
  private final LogSupply supply;
  private final Cursor cursor;
  private final Ring ring;
  private final Executor flusher;

  private final Object maintenance = new Object(); // held while writing files that are not mapped

  // held while forcing and closing, never for entries: those must not wait for the device
  private final Object forcing = new Object();

  // logs that are full but not yet forced; the ledger adds, force takes
  private final ConcurrentLinkedQueue<AckLog> retired = new ConcurrentLinkedQueue<>();

  // the state that is to be written; set by the ledger, cleared by the flusher
  private final AtomicReference<@Nullable Pending> pending = new AtomicReference<>();

  private volatile AckLog log; // written under the subscriber's lock; read by the flusher and force
  private volatile long generation; // written under the subscriber's lock
  private volatile boolean closed; // written under the subscriber's lock
  private volatile long snapshotted; // newest generation with a snapshot; written under maintenance

  private long epoch = EPOCHS.incrementAndGet(); // guarded by the subscriber's lock
  // the position in the cursor; guarded by the subscriber's lock
  private long deliveredEnd;
  // the copy that is being taken; guarded by the subscriber's lock
  private @Nullable Snapshot copying;
  // whether an entry was written in this run; guarded by the subscriber's lock
  private boolean active;
  // the generation of the last copy that was begun; guarded by the subscriber's lock
  private long copied;
  private long missing; // entries not written; guarded by the subscriber's lock
  // the generation whose snapshot will have them; guarded by the subscriber's lock
  private long missingUntil = Long.MAX_VALUE;

  // whether the directory has entries that are not forced
  private final AtomicBoolean newNames = new AtomicBoolean(true);

  @GuardedBy("forcing")
  private boolean namesNeeded; // whether a log was forced whose name may not be

  @GuardedBy("maintenance")
  private boolean failing; // whether the last snapshot failed and that was logged

  /**
   * A state to be written; {@code needed}: it has entries that are nowhere else, and is tried until
   * it is written.
   */
  private record Pending(long generation, Snapshot state, boolean needed) {}

  /**
   * The beginning of a journal.
   *
   * @param generation of the log that this run uses first
   * @param records the number of records after which that log is continued; -1 for a new one
   * @param previous the last log before it; 0 if there is none
   * @param deliveredEnd the position in the cursor; 0 with order by key, where none is kept
   * @param snapshotted whether the state was written as this generation's snapshot
   */
  record Start(
      long generation, int records, long previous, long deliveredEnd, boolean snapshotted) {}

  /**
   * Continues from a state that recovery found, in its last log if that has space. If that state
   * isn't on disk as it is, its snapshot must have been written before.
   */
  FileJournal(Generations generations, Cursor cursor, Ring ring, Start start, Executor flusher)
      throws IOException {
    this.generations = generations;
    this.supply = new LogSupply(generations);
    this.cursor = cursor;
    this.ring = ring;
    this.flusher = flusher;
    this.generation = start.generation();
    this.deliveredEnd = start.deliveredEnd();
    this.copied = generation;
    this.log = start.records() < 0 ? newLog(start) : lastLog(start);
    snapshotted = start.snapshotted() ? generation : 0;
  }

  private AckLog lastLog(Start start) throws IOException {
    MappedFile file =
        MappedFile.open(
            generations.log(start.generation()), AckLog.SIZE, generations.owner()::isSound);
    return new AckLog(file, start.generation(), start.records(), generations.owner());
  }

  private AckLog newLog(Start start) throws IOException {
    long first = start.generation();
    var header =
        new AckLog.Header(first, start.previous(), ring.lowWatermark(), start.previous() == 0);
    AckLog made = new AckLog(supply.take(first), header, generations.owner());
    cursor.generation(first);
    return made;
  }

  @Override
  public long epoch() {
    return epoch;
  }

  @Override
  public void deliveredEnd(long next) {
    deliveredEnd = next;
    cursor.store(next);
  }

  @Override
  public void completed(long from, long count) {
    long start = from;
    long end = from + count;
    while (start < end) {
      int part = (int) Math.min(end - start, AckJournal.MAX_NUMBER);
      if (!log.completed(start, part) && !(nextLog() && log.completed(start, part))) {
        missing++;
      }
      start += part;
    }
    written();
  }

  @Override
  public void attempts(long sequence, int attempts) {
    if (!log.attempts(sequence, attempts) && !(nextLog() && log.attempts(sequence, attempts))) {
      missing++;
    }
    written();
  }

  @Override
  public void notBefore(long sequence, int attempts, long untilMillis, int delaySeconds) {
    if (!log.notBefore(sequence, attempts, untilMillis, delaySeconds)
        && !(nextLog() && log.notBefore(sequence, attempts, untilMillis, delaySeconds))) {
      missing++;
    }
    written();
  }

  /** An entry was written: the first one of this run asks for the next log; idle ones need none. */
  private void written() {
    if (!active) {
      active = true;
      askForMaintenance();
    }
    if (copying != null) {
      copy(copying);
    }
  }

  /** Takes the next step of a copy, and passes it to the flusher when it is complete. */
  private void copy(Snapshot state) {
    if (state.isComplete()) {
      pending.set(new Pending(copied, state, false));
      copying = null;
      askForMaintenance();
    } else {
      state.step();
    }
  }

  @Override
  public void seek(long sequence) {
    synchronized (maintenance) {
      try {
        restart(sequence);
      } catch (IOException e) {
        throw new RiverException("cannot move the subscriber in " + generations.directory(), e);
      }
      snapshotted = generation;
      pending.set(null);
    }
    copying = null;
    copied = generation;
    deliveredEnd = sequence;
    cursor.reset(sequence);
    missing = 0;
    missingUntil = Long.MAX_VALUE;
    askForMaintenance();
    try {
      DurableFiles.forceDirectory(generations.directory());
    } catch (IOException e) {
      throw new RiverException(
          "moved the subscriber in " + generations.directory() + ", but a power loss may undo it",
          e);
    }
  }

  @Override
  public long unjournaled() {
    if (snapshotted >= missingUntil) {
      missing = 0;
      missingUntil = Long.MAX_VALUE;
    }
    return missing;
  }

  @Override
  public void force() {
    force(true);
  }

  @Override
  public void forceCompleted() {
    force(false);
  }

  private void force(boolean withCursor) {
    synchronized (forcing) {
      if (closed) {
        return;
      }
      try {
        forceLogs();
        if (withCursor) {
          cursor.force();
          retrySnapshot();
        }
        forceNames();
      } catch (IOException e) {
        throw new RiverException(
            "cannot force the acknowledgements in " + generations.directory(), e);
      }
    }
  }

  private void retrySnapshot() {
    Pending due = pending.get();
    if (due != null && due.needed()) {
      askForMaintenance();
    }
  }

  @GuardedBy("forcing")
  private void forceLogs() throws IOException {
    // The one in use first: if it retires meanwhile, it is found among the others.
    namesNeeded |= log.force();
    for (AckLog full = retired.peek(); full != null; full = retired.peek()) {
      namesNeeded |= full.force();
      full.close();
      retired.remove();
    }
  }

  @Override
  public void whileStill(Runnable task) {
    synchronized (maintenance) {
      task.run();
    }
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    synchronized (maintenance) {
      synchronized (forcing) {
        for (AckLog full = retired.poll(); full != null; full = retired.poll()) {
          full.close();
        }
        log.close();
        cursor.close();
        try {
          supply.close();
        } catch (IOException e) {
          throw new RiverException("cannot close the files in " + generations.directory(), e);
        }
      }
    }
  }

  /** Continues in a new log. Returns false if there is none to be had now. */
  private boolean nextLog() {
    boolean incomplete = unjournaled() > 0;
    if (missing % RETRY_EVERY != 0) {
      return false;
    }
    long next = generation + 1;
    try {
      use(supply.take(next), new AckLog.Header(next, generation, ring.lowWatermark(), false));
    } catch (IOException e) {
      if (!incomplete) {
        LOG.warn(
            "No space for acknowledgements in {}: they would be lost by a kill now",
            generations.directory(),
            e);
      }
      return false;
    }
    if (incomplete) { // at once: what is missing is nowhere else
      copying = null;
      copied = next;
      pending.set(new Pending(next, Snapshot.of(ring, deliveredEnd), true));
      missingUntil = next;
    } else if (copying == null && pending.get() == null && isCopyDue()) {
      copied = next;
      copying = new Snapshot(ring, deliveredEnd);
    }
    askForMaintenance();
    return true;
  }

  private boolean isCopyDue() {
    return (generation - copied) * AckLog.RECORDS
        >= (ring.end() - ring.lowWatermark()) / COPY_AFTER;
  }

  /** In effect when the snapshot has its name; a failure before leaves everything as it was. */
  @GuardedBy("maintenance")
  private void restart(long sequence) throws IOException {
    long next = generation + 1;
    MappedFile file = supply.take(next);
    boolean done = false;
    try {
      generations.placeSnapshot(Snapshot.of(new Ring(sequence), sequence), next);
      done = true;
    } finally {
      if (!done) {
        supply.putBack(file);
      }
    }
    use(file, new AckLog.Header(next, generation, sequence, true));
    epoch = EPOCHS.incrementAndGet();
  }

  private void use(MappedFile file, AckLog.Header header) {
    AckLog next = new AckLog(file, header, generations.owner());
    retired.add(log); // mapped until it is forced
    log = next;
    generation = header.generation();
    newNames.set(true);
    cursor.generation(header.generation());
  }

  private void askForMaintenance() {
    try {
      flusher.execute(this::maintain);
    } catch (RejectedExecutionException e) {
      LOG.debug("The flusher has ended; snapshot of {} left out", generations.directory(), e);
    }
  }

  @GuardedBy("forcing")
  private void forceNames() throws IOException {
    if (namesNeeded && newNames.getAndSet(false)) {
      try {
        DurableFiles.forceDirectory(generations.directory());
      } catch (IOException | RuntimeException e) {
        newNames.set(true);
        throw e;
      }
      namesNeeded = false;
    }
  }

  /** Makes the next log, writes the snapshot, and removes what is then needless; on the flusher. */
  private void maintain() {
    synchronized (maintenance) {
      if (closed || generations.isLost()) {
        return;
      }
      Pending due = pending.get();
      try {
        prepareNext();
        if (due != null) {
          generations.writeSnapshot(due.state(), due.generation());
          snapshotted = Math.max(snapshotted, due.generation());
        }
        generations.prune();
        failing = false;
      } catch (IOException e) {
        if (!failing) {
          LOG.warn("Cannot write a snapshot in {}; the logs are kept", generations.directory(), e);
        }
        failing = true;
      } finally {
        if (due != null && (!due.needed() || snapshotted >= due.generation())) {
          pending.compareAndSet(due, null);
        }
      }
    }
  }

  /** Makes the next log ahead; without one the ledger makes its own, and warns if it cannot. */
  private void prepareNext() {
    try {
      supply.prepare(generation + 1);
    } catch (IOException e) {
      LOG.debug("No log made ahead in {}", generations.directory(), e);
    }
  }
}
