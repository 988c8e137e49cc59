package com.wookler.river.common.removed;

import com.wookler.river.common.errors.RiverException;
import com.wookler.river.common.file.DurableFiles;
import com.wookler.river.common.file.RecordFile;
import com.wookler.river.common.file.Sealed;
import com.wookler.river.common.file.Series;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes messages of a queue one by one, and remembers it in {@link RemovedFiles}; the log has the
 * set in memory, which all ask who read messages. A queue of which no message was ever removed has
 * no file.
 *
 * <p><b>Order.</b> A removal is in the file, and on the device if that is asked for, before it is
 * in memory. Files may be ahead of the log, of which a power loss takes the end: so what is beyond
 * the log is dropped at the opening, on the device too, before those sequences are used again. What
 * neither the log nor a backup has any more is forgotten when a file is written anew.
 *
 * <p><b>Replacing.</b> That a message is to be replaced is on the device before the other one is
 * published, which names it. So an opening finds out in the log whether it was.
 *
 * <p>Confined to one thread at a time, which is not interrupted, but for {@link #left} and {@link
 * #isDirty}. Damage makes removed messages come again.
 */
public final class Removals implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Removals.class);
  private static final int SPARE_RECORDS = 1_000; // that a file may have beyond what it needs

  private final String queue;
  private final Path directory;
  private final UUID identity;
  private final Log log;
  // messages that are being replaced, and the end of the log when that began
  private final Map<Long, Long> replacing = new TreeMap<>();
  private RecordFile file;
  private boolean broken = true; // whether its end may not be what was written, or there is none
  private long end; // of the file
  private int records; // in it

  private volatile boolean unforced; // whether something was written since the last force
  private volatile long first; // below it nothing is left
  private volatile boolean forgets; // whether that is to be forgotten; set after it

  /** The log of the queue. */
  public interface Log {
    /** Returns the sequence after its last message. */
    long nextSequence();

    /** Returns the messages that were removed. */
    SequenceRanges removed();

    /** Replaces the set of these, which readers ask from any thread. */
    void removed(SequenceRanges sequences);

    /** Returns whether it has a message, not below a sequence, that replaces another. */
    boolean isReplaced(long sequence, long from);

    /** Throws if the queue's directory is another process's. */
    void refuseLost();

    /** Returns whether files were begun, so that they must exist. */
    boolean hasFiles();

    /** Records, on the device, that there are files from now on. */
    void begunFiles() throws IOException;
  }

  private Removals(String queue, Path directory, UUID identity, Log log) {
    this.queue = queue;
    this.directory = directory.resolve(RemovedFiles.DIRECTORY);
    this.identity = identity;
    this.log = log;
    this.file = file(1, false);
  }

  private RecordFile file(long number, boolean exists) {
    return new RecordFile(RemovedFiles.FILES, directory, identity, number, exists);
  }

  /** Reads what earlier runs have removed, for a log that is open. */
  public static Removals open(String queue, Path directory, UUID identity, Log log) {
    Removals opened = new Removals(queue, directory, identity, log);
    try {
      if (log.hasFiles() || Files.isDirectory(opened.directory)) {
        opened.load();
      }
      return opened;
    } catch (IOException e) {
      throw opened.cannot("read", e);
    }
  }

  private RiverException cannot(String what, IOException e) {
    return new RiverException(
        "queue " + queue + ": cannot " + what + " which messages were removed, in " + directory, e);
  }

  private void load() throws IOException {
    RemovedFiles found = RemovedFiles.read(directory, identity, log.hasFiles());
    found.faults.forEach(
        (path, what) ->
            LOG.warn(
                "Queue {}: damaged: {} {}: messages that were removed may come again",
                queue,
                path,
                what));
    List<SequenceRanges> all = new ArrayList<>(List.of(found.removed));
    found.replacing.forEach(
        (sequence, from) -> {
          if (log.isReplaced(sequence, from)) {
            all.add(SequenceRanges.of(sequence));
          }
        });
    log.removed(SequenceRanges.union(all).within(0, log.nextSequence()));
    file = file(found.files.isEmpty() ? 0 : found.files.lastKey(), true);
    begin();
    for (RecordFile old : found.files.values()) {
      if (found.faults.containsKey(old.path())) {
        DurableFiles.quarantine(old.path());
      } else {
        old.delete();
      }
    }
  }

  /**
   * Removes messages: no reader finds them from now on.
   *
   * @param forced whether that is on the device when this returns; else it is at the next force
   */
  public void remove(SequenceRanges sequences, boolean forced) {
    SequenceRanges known = log.removed();
    SequenceRanges all = SequenceRanges.union(List.of(known, sequences));
    run(
        () -> {
          if (!all.equals(known)) {
            ByteBuffer out = buffer(sequences.ranges());
            put(out, sequences);
            write(out, sequences.ranges());
          }
          if (forced) {
            force();
          }
        });
    log.removed(all);
    replacing.keySet().removeIf(sequences::contains);
  }

  /** Records, on the device, that a message is replaced if the log gets one that says so. */
  public void replacing(long sequence) {
    long from = log.nextSequence();
    run(
        () -> {
          write(put(buffer(1), RemovedFiles.REPLACING, sequence, from), 1);
          force();
        });
    replacing.put(sequence, from);
  }

  /** Records that the log did not get such a message. */
  public void kept(long sequence) {
    run(() -> write(put(buffer(1), RemovedFiles.KEPT, sequence, 0), 1));
    replacing.remove(sequence);
  }

  private ByteBuffer buffer(int count) {
    return ByteBuffer.allocate(RemovedFiles.RECORD * count).order(ByteOrder.LITTLE_ENDIAN);
  }

  private void put(ByteBuffer out, SequenceRanges sequences) {
    for (int i = 0; i < sequences.ranges(); i++) {
      put(out, RemovedFiles.REMOVED, sequences.start(i), sequences.end(i));
    }
  }

  private static ByteBuffer put(ByteBuffer out, byte kind, long first, long end) {
    out.position(out.position() + Series.PREFIX_BYTES);
    return out.put(kind).putLong(first).putLong(end);
  }

  private void write(ByteBuffer out, int count) throws IOException {
    log.refuseLost();
    if (broken) {
      rewrite();
    }
    broken = true; // until all is written
    write(file, out, end);
    broken = false;
    unforced = true;
    end += out.limit();
    records += count;
  }

  private static void write(RecordFile to, ByteBuffer out, long at) throws IOException {
    out.flip();
    for (int i = 0; i < out.limit(); i += RemovedFiles.RECORD) {
      to.seal(out, i, RemovedFiles.CONTENT);
    }
    to.write(out, at);
  }

  private void force() throws IOException {
    if (unforced) {
      broken = true;
      file.force();
      broken = false;
      unforced = false;
    }
  }

  /** Writes what is in memory to a new file, and deletes the one before it. */
  private void rewrite() throws IOException {
    RecordFile before = file;
    begin();
    before.delete();
  }

  private void begin() throws IOException {
    RecordFile next = file(file.number() + 1, false);
    SequenceRanges all = log.removed();
    ByteBuffer out = buffer(all.ranges() + replacing.size());
    put(out, all);
    replacing.forEach((sequence, from) -> put(out, RemovedFiles.REPLACING, sequence, from));
    byte[] header =
        RemovedFiles.FILES.form().encode(identity, Sealed.payload(8).putLong(next.number()));
    DurableFiles.createDirectories(directory);
    try {
      next.write(ByteBuffer.wrap(header), 0);
      write(next, out, header.length);
      next.force();
      DurableFiles.forceDirectory(directory);
    } catch (Throwable e) {
      next.close();
      throw e;
    }
    log.begunFiles();
    file = next;
    end = (long) header.length + out.limit();
    records = all.ranges() + replacing.size();
    broken = false;
    unforced = false;
  }

  private interface Task {
    void run() throws IOException;
  }

  private void run(Task task) {
    try {
      task.run();
    } catch (IOException e) {
      throw cannot("keep", e);
    }
  }

  /** Has what is below a sequence forgotten, because it is nowhere any more; any thread. */
  public void left(long below) {
    if (!log.removed().isEmpty()) {
      first = below;
      forgets = true;
    }
  }

  /** Returns whether {@link #flush} has something to do; any thread. */
  public boolean isDirty() {
    return unforced || forgets;
  }

  /** Forces what was removed, and forgets what is to be forgotten. */
  public void flush() {
    run(this::force);
    if (forgets) {
      forgets = false;
      log.removed(log.removed().endingFrom(first)); // so a reader that begins before is led there
      int needed = log.removed().ranges() + replacing.size();
      if (records > 2 * needed + (needed == 0 ? 0 : SPARE_RECORDS)) {
        run(this::rewrite);
      }
    }
  }

  @Override
  public void close() {
    run(file::close);
  }
}
