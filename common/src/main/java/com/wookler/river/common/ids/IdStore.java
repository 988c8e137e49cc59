package com.wookler.river.common.ids;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.common.file.DurableFiles;
import com.wookler.river.common.file.KeyedHash;
import com.wookler.river.common.file.RecordFile;
import com.wookler.river.common.file.Series;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.NavigableMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Finds the message of each id that was published within the window.
 *
 * <p>The window is divided into eight parts, each with a file and a table; a part is deleted when
 * its last id has left the window, so no entry is ever removed from a table. In memory an id takes
 * 16 to 32 bytes, whatever its length: a table has a hash of 64 bits and an offset in the file, and
 * a hit is confirmed by the id in the file, so two ids are never confused.
 *
 * <p><b>The log is the truth.</b> An id is also stored with its message. It is written here in the
 * background, after the log was forced, together with the sequence up to which all ids are written,
 * so that an opening adds what the log has from there on. Before a block leaves the log, {@link
 * #flush} forces its ids.
 *
 * <p><b>Damage.</b> Each file records which files were there before it, and what they held ({@link
 * IdHeader}). If one of them is missing, emptied, cut or damaged, nothing counts as {@link
 * #covered}: all ids of the window are read from the log and its backups again. The intact records
 * of a damaged file are written to a new one, and then it is quarantined.
 *
 * <p>A caller that looks an id up and then stores it holds {@link #lock} all the while.
 */
public final class IdStore {
  private static final int PARTS = 8;
  private static final long MAX_FILE_BYTES = 1L << 30;
  // messages without an id after which the sequence that is covered is written anyway
  private static final long COVERED_STEP = 100_000;

  private final Path directory;
  private final String queue;
  private final UUID identity;
  private final KeyedHash hash; // each collision costs a read of the file
  private final long windowMicros;
  private final Log log;
  private final RecordFile.Device device;
  private final ReentrantLock lock = new ReentrantLock();

  @GuardedBy("lock")
  private final Deque<IdFile> files = new ArrayDeque<>(); // the newest last

  // files to be removed once the device has a record which says that they are not needed
  @GuardedBy("lock")
  private final Deque<Removal> removals = new ArrayDeque<>();

  @GuardedBy("lock")
  private long number;

  @GuardedBy("lock")
  private long partSince;

  private boolean made; // whether the directory is; confined to the flusher
  private volatile boolean pending; // written under the lock
  private volatile long covered; // written under the lock
  // whether a file is to be removed; written under the lock
  private volatile boolean hasRemovals;
  // the wall time from which a file is to be dropped though no id comes; written under the lock
  private volatile long expiry = Long.MAX_VALUE;
  private volatile boolean reading; // whether files may be open; written under the lock
  private String fault = ""; // found by the opening; confined to its thread
  // ids that at most were in missing or damaged files; confined to the opening's thread
  private long missing;
  // what would be covered without the fault; confined to the opening's thread
  private long coveredBefore;

  public record Original(long sequence, long micros) {}

  /** The log as an opening uses it. */
  public interface Log {
    /** Returns the sequence of its oldest message. */
    long firstSequence();

    /** Returns the sequence after its last message. */
    long nextSequence();

    /** Returns whether the message with this sequence, which is below that, was lost. */
    boolean isLost(long sequence);

    /** Returns whether files of ids were created, so that they must exist. */
    default boolean hasFiles() {
      return false;
    }

    /** Records, on the device, that files of ids exist from now on. */
    default void begunFiles() throws IOException {}

    /** Returns the wall time at which this time was stored. */
    default long wallOf(long storedMicros) {
      return storedMicros;
    }
  }

  /** A file that is no longer needed; a damaged one is kept under another name. */
  private record Removal(IdFile file, boolean damaged) {
    void remove() throws IOException {
      Path path = file.file.path();
      if (!damaged) {
        Files.deleteIfExists(path);
      } else if (Files.exists(path)) { // else the last try did it
        DurableFiles.quarantine(path);
      }
    }
  }

  private IdStore(Path directory, Owner owner, Duration window, Log log, RecordFile.Device device) {
    this.device = device;
    this.directory = directory;
    this.queue = owner.queue();
    this.identity = owner.identity();
    this.hash = KeyedHash.of(identity);
    this.log = log;
    this.windowMicros = TimeUnit.NANOSECONDS.toMicros(window.toNanos());
  }

  public record Owner(String queue, UUID identity) {}

  /** Reads what earlier runs have written; forgets ids of messages that the log does not have. */
  public static IdStore open(
      Path directory, Owner owner, Duration window, long nowMicros, Log log) {
    return open(directory, owner, window, nowMicros, log, channel -> channel.force(false));
  }

  /** Reads what earlier runs have written, on a device that a test may hold. */
  static IdStore open(
      Path directory,
      Owner owner,
      Duration window,
      long nowMicros,
      Log log,
      RecordFile.Device device) {
    IdStore store = new IdStore(directory, owner, window, log, device);
    try {
      store.load(nowMicros);
      return store;
    } catch (IOException e) {
      throw new RiverException(
          "queue " + owner.queue() + ": cannot read its ids in " + directory, e);
    }
  }

  private void load(long nowMicros) throws IOException {
    lock.lock();
    try {
      NavigableMap<Long, Path> paths = IdHeader.FILES.list(directory);
      if (!paths.isEmpty()) {
        DurableFiles.forceDirectory(directory); // a kill may have come before that
      }
      IdFiles all = new IdFiles(directory);
      Deque<IdFile> damaged = new ArrayDeque<>(); // the newest first
      for (long each : paths.keySet()) {
        number = each;
        load(all, damaged, each == paths.lastKey());
      }
      all.faults(log.hasFiles(), log.firstSequence(), log.nextSequence())
          .forEach((file, what) -> fault = file + " " + what);
      missing = all.missing();
      for (IdFile file : damaged) {
        copyIntact(file, nowMicros);
      }
      if (!fault.isEmpty()) {
        coveredBefore = covered;
        covered = 0; // what later files record does not cover what is missing here
        pending = true; // a new file records what is there now
      } else if (!files.isEmpty()) {
        partSince = files.getLast().since(); // the newest file is continued
      }
      dropExpired(nowMicros);
      expiry = nextExpiry();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Loads the current file. Records beyond the log's end are cut off, because they would be taken
   * for ids of the messages that get their sequences. So is the torn end of the last file, which a
   * crash leaves; the log has those ids.
   */
  @GuardedBy("lock")
  private void load(IdFiles all, Deque<IdFile> damaged, boolean last) throws IOException {
    IdFile file = IdFile.open(directory, identity, number, device);
    files.add(file);
    boolean[] beyond = {false};
    IdScan scan =
        new IdScan(
            file.file,
            (record, at) -> {
              beyond[0] = isBeyondLog(record);
              if (!beyond[0] && record.kind() == IdRecord.ID && !log.isLost(record.sequence())) {
                file.known(record, hash(record.id()), at);
              }
              return !beyond[0];
            });
    if (!all.add(number, scan, last)) {
      files.remove(file);
      damaged.addFirst(file);
      return;
    }
    file.content(scan);
    covered = Math.max(covered, scan.covered);
    if (beyond[0]) {
      all.fault(number, "knows more than the log");
    }
  }

  private boolean isBeyondLog(IdRecord record) {
    return record.sequence() > log.nextSequence() - (record.kind() == IdRecord.ID ? 1 : 0);
  }

  /** Copies the intact records of a damaged file into the newest; the newest of an id counts. */
  @GuardedBy("lock")
  private void copyIntact(IdFile file, long nowMicros) throws IOException {
    remove(file, true);
    List<IdRecord> whole = new ArrayList<>();
    new IdScan(
        file.file,
        (record, at) -> {
          if (record.kind() == IdRecord.ID
              && !isBeyondLog(record)
              && !log.isLost(record.sequence())
              && nowMicros - log.wallOf(record.micros()) < windowMicros) {
            whole.add(record);
          }
          return true;
        });
    for (int i = whole.size() - 1; i >= 0; i--) {
      IdRecord record = whole.get(i);
      long hash = hash(record.id());
      if (find(record.id(), hash) == null) {
        part(nowMicros, record.bytes()).add(record, hash);
      }
    }
  }

  /** Returns what is damaged or missing, so that the log has to be read; empty if nothing is. */
  public String fault() {
    return fault;
  }

  /** Returns how many ids were in damaged or missing files and are in no intact record. */
  public long missing() {
    return Math.max(0, missing);
  }

  /** Returns the sequence below which the messages of these ids are. */
  public long missingBelow() {
    return coveredBefore;
  }

  /** Returns the lock, which is held from looking an id up to adding it. */
  public ReentrantLock lock() {
    return lock;
  }

  /** Returns the sequence below which all ids are known; the log has the others. */
  public long covered() {
    return covered;
  }

  /** Returns the message of an id published within the window before this wall time, or null. */
  public @Nullable Original find(String id, long nowMicros) {
    byte[] bytes = id.getBytes(StandardCharsets.UTF_8);
    long hash = hash(bytes);
    lock.lock();
    try {
      reading = true;
      IdRecord record = find(bytes, hash);
      return record != null && nowMicros - log.wallOf(record.micros()) < windowMicros
          ? new Original(record.sequence(), record.micros())
          : null; // older ones of it are older still
    } finally {
      lock.unlock();
    }
  }

  /** Returns the newest record of an id; null if there is none. */
  @GuardedBy("lock")
  private @Nullable IdRecord find(byte[] id, long hash) {
    Iterator<IdFile> newestFirst = files.descendingIterator();
    while (newestFirst.hasNext()) {
      IdRecord record = newestFirst.next().find(id, hash);
      if (record != null) {
        return record;
      }
    }
    return null;
  }

  /** Adds the id of a stored message in memory only: if this failed a duplicate would be stored. */
  public void add(String id, long sequence, long micros) {
    byte[] bytes = id.getBytes(StandardCharsets.UTF_8);
    IdRecord record = new IdRecord(IdRecord.ID, sequence, micros, bytes);
    lock.lock();
    try {
      part(micros, record.bytes()).add(record, hash(bytes));
      pending = true;
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private IdFile part(long micros, int bytes) {
    IdFile newest = files.peekLast();
    if (newest == null
        || partSince == 0
        || log.wallOf(micros) - log.wallOf(partSince) >= windowMicros / PARTS
        || newest.length() + bytes > MAX_FILE_BYTES) {
      number++;
      List<IdHeader.Entry> before = files.stream().map(IdFile::entry).toList();
      newest = IdFile.begin(directory, identity, new IdHeader(number, micros, before), device);
      files.add(newest);
      partSince = micros;
    }
    return newest;
  }

  /**
   * Returns whether there is something to {@link #flush} up to the log's end, or to close. {@code
   * nowMicros} is a stored time.
   */
  public boolean isDirty(long end, long nowMicros) {
    return reading || hasToWrite(end, nowMicros);
  }

  private boolean hasToWrite(long end, long nowMicros) {
    long known = covered;
    return pending
        || hasRemovals
        || log.wallOf(nowMicros) >= expiry
        || end - known >= COVERED_STEP
        || known < Math.min(end, log.firstSequence()) // so that a missing file is noticed
        || (known == 0 && end > 0);
  }

  /**
   * Writes to the device what was added before the log was forced up to {@code end}, and drops what
   * has left the window, and closes the files that were read; on the flusher. {@code nowMicros} is
   * a stored time. If it throws, the next call tries again.
   */
  public void flush(long end, long nowMicros) {
    try {
      stopReading();
      IdFile file;
      do {
        file = flushOne(end, nowMicros);
      } while (file != null);
    } catch (IOException e) {
      throw new RiverException("queue " + queue + ": cannot write ids to " + directory, e);
    }
  }

  private void stopReading() throws IOException {
    lock.lock();
    try {
      reading = false;
      for (IdFile file : files) {
        file.stopReading();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Writes the oldest file that has something to write; null if none has. */
  private @Nullable IdFile flushOne(long end, long nowMicros) throws IOException {
    IdFile file;
    byte[] bytes;
    List<Removal> removable = List.of();
    lock.lock();
    try {
      file = toFlush(end, nowMicros);
      if (file == null) {
        return null;
      }
      bytes = file.pending();
      if (!pending) {
        removable = List.copyOf(removals);
      }
    } finally {
      lock.unlock();
    }
    if (!made) { // with the first file: a directory without files has lost them
      DurableFiles.createDirectories(directory);
      log.begunFiles();
      made = true;
    }
    file.write(bytes, file.end());
    for (Removal each : removable) {
      each.remove();
    }
    lock.lock();
    try {
      file.wrote(bytes.length);
      removals.removeAll(removable);
      hasRemovals = !removals.isEmpty();
    } finally {
      lock.unlock();
    }
    return file;
  }

  @GuardedBy("lock")
  private @Nullable IdFile toFlush(long end, long nowMicros) throws IOException {
    for (IdFile file : files) {
      if (file.hasPending()) {
        return file;
      }
    }
    if (!hasToWrite(end, nowMicros)) {
      return null;
    }
    long wall = log.wallOf(nowMicros);
    dropExpired(wall);
    long oldest = files.isEmpty() ? number + 1 : files.getFirst().file.number();
    // the last record of all, when all ids are on the device
    part(Math.max(nowMicros, partSince), Series.PREFIX_BYTES + IdRecord.FIXED_BYTES)
        .append(IdRecord.covered(end, nowMicros, oldest));
    covered = end;
    pending = false;
    expiry = Math.max(nextExpiry(), wall + 1); // the newest is dropped once there is another
    return files.peekLast();
  }

  @GuardedBy("lock")
  private long nextExpiry() {
    return files.stream()
        .filter(file -> file.ids() > 0)
        .mapToLong(file -> log.wallOf(file.lastMicros()) + windowMicros)
        .min()
        .orElse(Long.MAX_VALUE);
  }

  @GuardedBy("lock")
  private void dropExpired(long nowMicros) throws IOException {
    while (files.size() > 1
        && nowMicros - log.wallOf(files.getFirst().lastMicros()) >= windowMicros) {
      remove(files.removeFirst(), false);
    }
  }

  @GuardedBy("lock")
  private void remove(IdFile file, boolean damaged) throws IOException {
    file.stopReading();
    removals.add(new Removal(file, damaged));
    hasRemovals = true;
  }

  /** Returns the greatest time of all records. */
  public long lastMicros() {
    lock.lock();
    try {
      return files.stream()
          .mapToLong(file -> Math.max(file.lastMicros(), file.since()))
          .max()
          .orElse(0);
    } finally {
      lock.unlock();
    }
  }

  public int size() {
    lock.lock();
    try {
      return files.stream().mapToInt(IdFile::ids).sum();
    } finally {
      lock.unlock();
    }
  }

  private long hash(byte[] id) {
    return hash.of(id, id.length);
  }
}
