package com.wookler.river.core.ids;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.log.DurableFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Knows where each id stands that was published within the window.
 *
 * <p>The window is cut into eight parts, with a file and a table each; a part goes whole when its
 * last id has left the window, so nothing is ever taken out of a table. In memory an id takes 16 to
 * 32 bytes, whatever its length: a table has a hash of 64 bits and a place in the file, and a hit
 * is proven by the id in the file, so no two ids are ever taken for one.
 *
 * <p><b>The log is the truth.</b> An id also stands with its message. It is written here in the
 * background, after the log was forced, so that what is here was stored; and how far that went is
 * written with it, so that an opening adds what the log has beyond that. Before a block leaves the
 * log, {@link #flush} has its ids on the device.
 *
 * <p>Whoever looks an id up and then stores it holds {@link #lock} from the one to the other.
 */
public final class IdStore implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(IdStore.class);
  private static final int PARTS = 8;
  private static final long MAX_FILE_BYTES = 1L << 30;
  private static final String PREFIX = "ids-";
  private static final byte[] NO_ID = {};

  /** Messages without an id after which it is written all the same how far the files reach. */
  private static final long COVERED_STEP = 100_000;

  private final Path directory;
  private final String queue;
  private final long windowMicros;
  private final IdFile.Force device;
  private final ReentrantLock lock = new ReentrantLock();

  @GuardedBy("lock")
  private final Deque<IdFile> files = new ArrayDeque<>(); // the newest last

  @GuardedBy("lock")
  private long number;

  @GuardedBy("lock")
  private long partSince;

  private volatile boolean pending; // written under the lock
  private volatile long covered; // likewise

  /** Where an id stands. */
  public record Place(long sequence, long micros) {}

  /** The log, as far as an opening asks it. */
  public interface Log {
    /** The sequence after its last message. */
    long nextSequence();

    /** Whether the message with this sequence, which is below that, was lost. */
    boolean isLost(long sequence);
  }

  private IdStore(Path directory, String queue, Duration window, IdFile.Force device) {
    this.device = device;
    this.directory = directory;
    this.queue = queue;
    this.windowMicros = TimeUnit.NANOSECONDS.toMicros(window.toNanos());
  }

  /**
   * Reads what earlier runs have written.
   *
   * @param nowMicros the present, microseconds since 1970
   * @param log says which messages are there; ids of others are forgotten
   */
  public static IdStore open(
      Path directory, String queue, Duration window, long nowMicros, Log log) {
    return open(directory, queue, window, nowMicros, log, channel -> channel.force(false));
  }

  /** Likewise, on a device that a test may hold. */
  static IdStore open(
      Path directory, String queue, Duration window, long nowMicros, Log log, IdFile.Force device) {
    IdStore store = new IdStore(directory, queue, window, device);
    try {
      DurableFiles.createDirectories(directory);
      store.load(nowMicros, log);
      return store;
    } catch (IOException e) {
      store.closeFiles();
      throw new RiverException("queue " + queue + ": cannot read its ids in " + directory, e);
    } catch (RuntimeException e) {
      store.closeFiles();
      throw e;
    }
  }

  private void load(long nowMicros, Log log) throws IOException {
    lock.lock();
    try {
      List<Path> found;
      try (Stream<Path> all = Files.list(directory)) {
        found = all.filter(IdStore::isIdFile).sorted().toList();
      }
      if (!found.isEmpty()) {
        DurableFiles.forceDirectory(directory); // a kill may have come before that
      }
      boolean damaged = false;
      for (Path path : found) {
        number = Long.parseLong(String.valueOf(path.getFileName()).substring(PREFIX.length()));
        IdFile file = IdFile.open(path, device);
        files.add(file);
        damaged |= load(file, path, log, path.equals(found.get(found.size() - 1)));
      }
      if (damaged) {
        covered = 0; // last: what later files say does not cover what is missing here
      }
      expire(nowMicros);
    } finally {
      lock.unlock();
    }
  }

  private static boolean isIdFile(Path path) {
    return String.valueOf(path.getFileName()).matches(PREFIX + "\\d{12}");
  }

  /**
   * What lies beyond the log's end is cut off, and would be taken for an id of another message once
   * that has its sequence. So is the torn end of the last file, which a kill leaves; the log tells
   * what it was. Other damage is passed over and stays, a sign to later openings that ids are
   * missing.
   *
   * @return whether something is damaged
   */
  @GuardedBy("lock")
  private boolean load(IdFile file, Path path, Log log, boolean last) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(path));
    boolean damaged = false;
    int whole = 0; // the end of the last record that is
    while (bytes.hasRemaining()) {
      int place = bytes.position();
      IdRecord record = IdRecord.read(bytes);
      if (record == null) {
        if (!damaged) {
          LOG.warn("Queue {}: {} is damaged at byte {}; asking the log", queue, path, place);
        }
        damaged = true;
        bytes.position(place + 1); // up to the next that is whole
        continue;
      }
      whole = bytes.position();
      boolean isId = record.kind() == IdRecord.ID;
      if (record.sequence() > log.nextSequence() - (isId ? 1 : 0)) {
        file.cut(place);
        return damaged;
      }
      if (!isId) {
        covered = record.sequence();
      } else if (!log.isLost(record.sequence())) {
        file.known(record, hash(record.id()), place);
      }
    }
    if (last && whole < bytes.limit()) {
      file.cut(whole);
    }
    return damaged;
  }

  /** Held from looking an id up to adding it. */
  public ReentrantLock lock() {
    return lock;
  }

  /** All ids of messages below this sequence are known; those from it on the log has to tell. */
  public long covered() {
    return covered;
  }

  /** Where an id stands that was published within the window before now; null: nowhere. */
  public @Nullable Place find(String id, long nowMicros) {
    byte[] bytes = id.getBytes(StandardCharsets.UTF_8);
    long hash = hash(bytes);
    lock.lock();
    try {
      Iterator<IdFile> newestFirst = files.descendingIterator();
      while (newestFirst.hasNext()) {
        IdRecord record = newestFirst.next().find(bytes, hash);
        if (record != null) {
          return nowMicros - record.micros() < windowMicros
              ? new Place(record.sequence(), record.micros())
              : null; // older ones of it are older still
        }
      }
      return null;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Adds the id of a message that was stored; in memory, because nothing may fail now: without it a
   * repetition would be stored too.
   */
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
        || micros - partSince >= windowMicros / PARTS
        || newest.length() + bytes > MAX_FILE_BYTES) {
      number++;
      newest = new IdFile(directory.resolve(String.format("%s%012d", PREFIX, number)), device);
      files.add(newest);
      partSince = micros;
    }
    return newest;
  }

  /**
   * Whether there is something to {@link #flush}.
   *
   * @param end of the log
   */
  public boolean isDirty(long end) {
    return pending || end - covered >= COVERED_STEP;
  }

  /**
   * Writes to the device what was added, and forgets what has left the window; on the flusher,
   * after the log was forced.
   *
   * @param end of the log before it was forced
   * @throws RiverException the device refuses; it is tried again the next time
   */
  public void flush(long end, long nowMicros) {
    try {
      IdFile file;
      do {
        file = flushOne(end, nowMicros);
      } while (file != null);
    } catch (IOException e) {
      throw new RiverException("queue " + queue + ": cannot write ids to " + directory, e);
    }
  }

  /** Writes the oldest file that has something to write; null if none has. */
  private @Nullable IdFile flushOne(long end, long nowMicros) throws IOException {
    IdFile file;
    ByteBuffer bytes;
    lock.lock();
    try {
      file = toFlush(end, nowMicros);
      if (file == null) {
        return null;
      }
      bytes = file.takePending();
    } finally {
      lock.unlock();
    }
    file.write(bytes, file.end());
    lock.lock();
    try {
      file.wrote();
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
    if (!isDirty(end)) {
      return null;
    }
    // only now, when all ids are on the device: it is the last record of all
    part(Math.max(nowMicros, partSince), IdRecord.PREFIX_BYTES + IdRecord.FIXED_BYTES)
        .append(new IdRecord(IdRecord.COVERED, end, nowMicros, NO_ID));
    covered = end;
    pending = false;
    expire(nowMicros);
    return files.peekLast();
  }

  @GuardedBy("lock")
  private void expire(long nowMicros) throws IOException {
    while (files.size() > 1 && nowMicros - files.peekFirst().lastMicros() >= windowMicros) {
      files.pollFirst().delete();
    }
  }

  /** Ids that are in memory. */
  public int size() {
    lock.lock();
    try {
      return files.stream().mapToInt(IdFile::ids).sum();
    } finally {
      lock.unlock();
    }
  }

  /** Every bit of the id counts: a hash that collided often would cost a read of the file each. */
  private static long hash(byte[] id) {
    long hash = id.length;
    for (byte b : id) {
      hash = (hash ^ b) * 0x9E3779B97F4A7C15L;
      hash ^= hash >>> 32;
    }
    hash *= 0xC2B2AE3D27D4EB4FL;
    return hash ^ hash >>> 29;
  }

  private void closeFiles() {
    lock.lock();
    try {
      for (IdFile file : files) {
        try {
          file.close();
        } catch (IOException e) {
          LOG.warn("Queue {}: cannot close its ids in {}", queue, directory, e);
        }
      }
      files.clear();
    } finally {
      lock.unlock();
    }
  }

  /** Closes the files; writes nothing. */
  @Override
  public void close() {
    closeFiles();
  }
}
