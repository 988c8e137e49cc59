package com.wookler.river.core.backup;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.TimeSource;
import com.wookler.river.common.errors.DamagedException;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.common.file.DurableFiles;
import com.wookler.river.core.log.Damage;
import com.wookler.river.core.log.StoredTimes;
import com.wookler.river.core.log.files.BlockCompactor;
import com.wookler.river.core.log.files.BlockCompactor.Compacted;
import com.wookler.river.core.log.files.BlockWalk;
import com.wookler.river.core.log.files.Seal;
import com.wookler.river.core.message.DamagedMessageException;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.core.message.StoredMessage;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The backups of one queue: {@code <backup.directory>/<queue>/yyyy/MM/dd/b00000042.cq4.zst} with
 * its {@code b00000042.seal}, by the UTC date on which they were made.
 *
 * <p>A {@code .zst} file consists of zstd frames ({@link BlockCompressor}), so that {@code zstd -d}
 * returns the block's bytes and one message costs one frame. {@link BackupSeal} has the seal's
 * format.
 *
 * <p><b>Crashes.</b> A backup is written under a temporary name, forced, and read back message by
 * message; then its seal is written, and the rename comes last. So a {@code .zst} file is always
 * complete, and a crash leaves a temporary file or a seal alone, which the next {@link #archive} or
 * {@link #expire} removes. A {@code .zst} file whose seal is damaged or missing is never deleted:
 * its messages may be nowhere else.
 *
 * <p>A backup that cannot be read now is not damaged ({@link UnreadableBackups}): each read of it
 * fails with a {@link RiverException}, and the next one tries again.
 *
 * <p>Thread-safe. {@link #archive} and {@link #expire} run one after the other, on a thread that is
 * not interrupted; reads run at the same time. No lock is held while a message is read. The first
 * use reads one seal a backup; nothing is read or created before that.
 */
public final class Backup implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Backup.class);
  private static final int TRIES = 3;

  private final String queue;
  private volatile Duration retention; // read by housekeeping
  private final TimeSource time;
  private final Supplier<StoredTimes> times;
  private final BackupLayout layout;
  private final BackupIndex index;
  private final BackupReader reader;
  private final UnreadableBackups unreadable;
  private final ReentrantLock writing = new ReentrantLock(); // around every change on disk
  private volatile boolean closed; // set under writing; looked at by every call

  /**
   * Creates the backups in a directory, which need not exist yet. Backups of another queue there
   * are not read, but expire. Backups are kept for ever if the retention is zero or negative.
   */
  public Backup(String queue, UUID identity, Path directory, Duration retention, TimeSource time) {
    this(queue, identity, directory, retention, time, () -> StoredTimes.of(time));
  }

  /** Creates the backups of a queue whose log has these times; used once the log is open. */
  public Backup(
      String queue,
      UUID identity,
      Path directory,
      Duration retention,
      TimeSource time,
      Supplier<StoredTimes> times) {
    Compression.ensure(queue);
    this.times = times;
    this.queue = queue;
    this.retention = retention;
    this.time = time;
    this.layout = new BackupLayout(directory);
    this.index = new BackupIndex(queue, identity, layout);
    this.reader = new BackupReader(queue);
    this.unreadable = new UnreadableBackups(queue, time);
  }

  /**
   * Writes and verifies the backup of a closed block. When it returns, backup and folders are on
   * the device and the block may be deleted. If a crash has left a backup of the block, that is
   * verified again and kept, or replaced if it is damaged. Needs about 5 MB of memory, and twice
   * the size of a document where that is larger.
   *
   * @param blockFile at least {@code seal.bytes()} long, rounded up to a multiple of four
   * @return the {@code .zst} file
   * @throws IOException reading or writing failed; nothing of the backup is left
   * @throws DamagedMessageException the block is not what its seal says; nothing is left either
   */
  public Path archive(Seal seal, Path blockFile) throws IOException {
    writing.lock();
    try {
      ensureOpen();
      removeLeftovers();
      Optional<StoredBlock> existing = index.of(seal);
      if (existing.isPresent() && isKept(existing.get())) {
        return existing.get().file();
      }
      return make(seal, blockFile);
    } finally {
      writing.unlock();
    }
  }

  @GuardedBy("writing")
  private boolean isKept(StoredBlock existing) throws IOException {
    Verification verification = verify(existing.file());
    if (verification.ok()) {
      layout.force(existing.file().toAbsolutePath().getParent());
      return true;
    }
    LOG.warn(
        "Queue {}: backup {} is {}; making it anew from its block, which is still there",
        queue,
        existing.file(),
        verification.damages().get(0));
    index.remove(existing);
    BackupLayout.delete(existing.file());
    return false;
  }

  @GuardedBy("writing")
  private Path make(Seal seal, Path blockFile) throws IOException {
    Path folder = layout.makeFolder(time.epochMicros());
    Path zst = BackupLayout.freeName(folder, seal.block());
    Path temporary = zst.resolveSibling(zst.getFileName() + DurableFiles.TEMPORARY);
    boolean done = false;
    try {
      BackupSeal backup = compress(seal, blockFile, temporary, times.get().now());
      Path sealFile = BackupLayout.sealOf(zst);
      DurableFiles.write(sealFile, backup.encode());
      if (!BackupSeal.read(sealFile).equals(backup)) {
        throw new IOException(sealFile + " does not read back as it was written");
      }
      DurableFiles.rename(temporary, zst);
      index.add(StoredBlock.of(zst, backup));
      done = true;
      return zst;
    } catch (DamagedException e) {
      throw new DamagedMessageException(
          "queue " + queue + ", block file " + blockFile + ": " + e.getMessage(), e);
    } finally {
      if (!done) {
        undo(zst, temporary);
      }
    }
  }

  /** Compresses a block into a file, verified; {@code made} is the time of the backup. */
  static BackupSeal compress(Seal seal, Path blockFile, Path temporary, long made)
      throws IOException {
    long covered = BackupSeal.covered(seal);
    List<Frame> frames = BlockCompressor.compress(blockFile, covered, temporary);
    Verifier verifier = new Verifier(temporary, seal, bytes -> {});
    try (FrameFile file = new FrameFile(temporary)) {
      long length = file.length();
      Verification verification = verifier.verify(file, frames, length);
      if (!verification.ok()) {
        throw new DamagedMessageException(verification.damages().get(0).toString());
      }
      return new BackupSeal(seal, made, length, verifier.located());
    }
  }

  private void undo(Path zst, Path temporary) {
    Path seal = BackupLayout.sealOf(zst);
    Path temporarySeal = seal.resolveSibling(seal.getFileName() + DurableFiles.TEMPORARY);
    for (Path file : List.of(zst, temporary, seal, temporarySeal)) {
      try {
        Files.deleteIfExists(file);
      } catch (IOException e) {
        LOG.warn("Queue {}: cannot delete {}, half of a backup that failed", queue, file, e);
      }
    }
    try {
      layout.removeEmpty(zst.getParent());
    } catch (IOException e) {
      LOG.warn("Queue {}: cannot remove the folder of {}", queue, zst, e);
    }
  }

  /** Changes how long backups are kept; for ever if zero or negative. */
  public void retain(Duration time) {
    retention = time;
  }

  /**
   * Removes the backups that were made {@code retention} ago or longer, but those with a damaged
   * seal, whose age is unknown, and empty date folders; returns how many. What could not be removed
   * stays for the next call.
   */
  public int expire() throws IOException {
    return expire(OptionalLong.empty());
  }

  /** Removes expired backups, but none with a message from the needed sequence on. */
  public int expire(OptionalLong needed) throws IOException {
    writing.lock();
    try {
      ensureOpen();
      removeLeftovers();
      if (retention.isZero() || retention.isNegative()) {
        return 0;
      }
      StoredTimes stored = times.get();
      index.newestMade().ifPresent(stored::saw);
      long limit = time.epochMicros() - TimeUnit.MICROSECONDS.convert(retention);
      return remove(
          index.made(made -> stored.wallOf(made) <= limit, needed.orElse(Long.MAX_VALUE)));
    } finally {
      writing.unlock();
    }
  }

  @GuardedBy("writing")
  private int remove(List<StoredBlock> old) throws IOException {
    int removed = 0;
    IOException failure = null;
    for (StoredBlock stored : old) {
      index.remove(stored); // first, so that a reader which misses the file knows why
      try {
        BackupLayout.delete(stored.file());
        layout.removeEmpty(stored.file().getParent());
        removed++;
      } catch (IOException e) {
        index.add(stored);
        failure = e;
      }
    }
    if (failure != null) {
      throw failure;
    }
    return removed;
  }

  @GuardedBy("writing")
  private void removeLeftovers() {
    for (Path leftover : index.takeLeftovers()) {
      try {
        if (Files.isDirectory(leftover)) {
          layout.removeEmpty(leftover);
        } else {
          LOG.info("Queue {}: removing {}, which a crash left", queue, leftover);
          Files.deleteIfExists(leftover);
        }
      } catch (IOException e) {
        LOG.warn("Queue {}: cannot remove {}, which a crash left", queue, leftover, e);
      }
    }
  }

  /** Returns one message, at the cost of a frame; empty if no backup holds it. */
  public Optional<StoredMessage> read(long sequence) {
    return read(sequence, 1).stream().filter(found -> found.sequence() == sequence).findFirst();
  }

  /**
   * Returns consecutive messages at the same cost: from this one to the end of its frame, or to a
   * damaged one; empty if no backup holds the first. Where that is known to be lost before its
   * block was closed, they start after it.
   *
   * @throws DamagedMessageException the first one is damaged
   * @throws RiverException the backup cannot be read
   */
  public List<StoredMessage> read(long from, int max) {
    return look(() -> index.holding(from), stored -> reader.read(stored, from, max))
        .orElse(List.of());
  }

  /**
   * Returns the first message in the backups published at or after this time, microseconds since
   * 1970; empty if there is none. Where its backup is damaged, returns the first that can be read,
   * there or in the next.
   */
  public OptionalLong sequenceAt(long micros) {
    return look(() -> index.publishedAt(micros), stored -> find(stored, micros))
        .orElse(OptionalLong.empty());
  }

  private OptionalLong find(StoredBlock stored, long micros) throws IOException {
    OptionalLong found = reader.find(stored, micros);
    return found.isPresent() ? found : index.firstSequenceFrom(stored.block().endSequence());
  }

  @FunctionalInterface
  private interface Look<T> {
    T into(StoredBlock stored) throws IOException;
  }

  /** Looks into a backup; again if it was replaced meanwhile, as its names may be another's. */
  private <T> Optional<T> look(Supplier<Optional<StoredBlock>> which, Look<T> look) {
    for (int tries = 1; ; tries++) {
      ensureOpen();
      Optional<StoredBlock> stored = which.get();
      if (stored.isEmpty()) {
        return Optional.empty();
      }
      try {
        T found = look.into(stored.get());
        if (!isReplaced(stored.get(), which)) {
          return Optional.of(found);
        }
      } catch (DamagedException e) {
        if (!isReplaced(stored.get(), which)) {
          throw e;
        }
      } catch (NoSuchFileException | FileNotFoundException e) {
        Path file = stored.get().file();
        if (!Files.exists(file) || !Files.exists(BackupLayout.sealOf(file))) {
          vanished(stored.get());
        } else if (tries == TRIES) {
          throw unreadable.failure(file, e); // no permission or descriptor
        }
      } catch (IOException e) {
        throw unreadable.failure(stored.get().file(), e);
      }
    }
  }

  private static boolean isReplaced(StoredBlock stored, Supplier<Optional<StoredBlock>> which) {
    return which.get().filter(now -> !now.equals(stored)).isPresent();
  }

  private void vanished(StoredBlock stored) {
    if (index.vanished(stored)) { // else it has expired since it was looked up
      LOG.warn(
          "Queue {}: damaged: backup file {} or its seal was removed by another program",
          queue,
          stored.file());
    }
  }

  /**
   * Returns the damage by which a message below {@code before}, the log's first sequence, is lost,
   * and others around it or from it on; empty if it can be read after all, or nothing indicates
   * that there was a backup of it.
   */
  public Optional<Damage> damageOf(long sequence, long before) {
    Optional<Optional<Damage>> held =
        look(
            () -> index.holding(sequence),
            stored -> Optional.ofNullable(LostMessages.around(stored, sequence)));
    return held.isPresent() ? held.get() : index.hole(sequence, before);
  }

  /** Returns the end of what {@link #damageOf} says is lost; the sequence if nothing is. */
  public long endOfLost(long sequence, long before) {
    return damageOf(sequence, before).map(Damage::end).orElse(sequence);
  }

  /** Returns this queue's backups of the blocks below a number, the newest first. */
  public List<StoredBlock> newest(int below, int max) {
    return index.newest(below, max);
  }

  /** Returns this queue's first backup that ends after a sequence; empty if there is none. */
  public Optional<StoredBlock> endingAfter(long sequence) {
    return index.endingAfter(sequence);
  }

  /**
   * Counts what compacting a backup would take out: see {@link BlockCompactor}.
   *
   * @throws DamagedMessageException a part of it is damaged
   */
  public static Compacted count(StoredBlock stored, Predicate<StoredMessage> which)
      throws IOException {
    return BlockCompactor.count(stored.block(), which, walk -> walk(stored, walk));
  }

  /**
   * Writes a backup anew, compacted, beside the one that is there, which {@link #replace} ends.
   *
   * @throws DamagedMessageException it is not what its seal says; nothing was changed
   */
  public static StoredBlock compacted(StoredBlock stored, Predicate<StoredMessage> which)
      throws IOException {
    return BackupRewriter.write(
        stored,
        (block, seal) -> {
          Path compacted = block.resolveSibling(block.getFileName() + DurableFiles.TEMPORARY);
          try {
            Seal after = new BlockCompactor(block, seal, which).write(compacted);
            DurableFiles.move(compacted, block);
            return after;
          } finally {
            Files.deleteIfExists(compacted);
          }
        });
  }

  /** Reads a backup no more, but another one of its block; deletes the one that is not read. */
  public void replace(StoredBlock stored, StoredBlock by) throws IOException {
    writing.lock();
    try {
      ensureOpen();
      if (!index.replace(stored, by)) {
        BackupRewriter.delete(by);
        return;
      }
      delete(stored);
    } finally {
      writing.unlock();
    }
  }

  /** Returns what a crash has left of older backups of a block. */
  public List<StoredBlock> twins(StoredBlock stored) {
    return index.twins(stored);
  }

  /** Deletes what a crash has left of older backups of a block. */
  public void deleteTwins(StoredBlock stored) throws IOException {
    delete(index.twins(stored));
  }

  /** Deletes the backup of a block that is in the log, and is about to be another there. */
  public void withdraw(Seal seal) throws IOException {
    delete(index.of(seal).stream().toList());
  }

  private void delete(List<StoredBlock> which) throws IOException {
    writing.lock();
    try {
      ensureOpen();
      for (StoredBlock stored : which) {
        index.remove(stored);
        delete(stored);
      }
    } finally {
      writing.unlock();
    }
  }

  /** Deletes a backup that the index has no more; notes it again if it is still there. */
  @GuardedBy("writing")
  private void delete(StoredBlock stored) throws IOException {
    try {
      BackupRewriter.delete(stored);
    } catch (IOException e) {
      if (Files.exists(stored.file())) {
        index.add(stored);
      }
      throw e;
    }
  }

  private static void walk(StoredBlock stored, BlockWalk.Visitor visitor) throws IOException {
    BackupFiles.walk(
        stored,
        stored.block().firstSequence(),
        visitor,
        (offset, what) -> {
          throw new DamagedMessageException("damaged: byte " + offset + ": " + what);
        });
  }

  /** Returns whether there is a backup from this sequence on, perhaps damaged or unreadable now. */
  public boolean reaches(long sequence) {
    return index.reaches(sequence);
  }

  /** Returns the end of the run of messages from this one on in backups; itself without any. */
  public long endFrom(long sequence) {
    return index.endFrom(sequence);
  }

  /** Returns the first sequence of the first backup that begins at or after this one. */
  public OptionalLong firstSequenceFrom(long sequence) {
    return index.firstSequenceFrom(sequence);
  }

  /** Returns the oldest message in the backups; empty if there are none. */
  public OptionalLong firstSequence() {
    return index.firstSequenceFrom(0);
  }

  public int count() {
    return index.count();
  }

  /** Returns the bytes of their {@code .zst} files. */
  public long bytes() {
    return index.bytes();
  }

  /** Verifies one backup, of any queue, as {@link BackupFiles#verify} does. */
  public Verification verify(Path zst) {
    return BackupFiles.verify(zst, bytes -> {});
  }

  /** Returns this queue's {@code .zst} files, oldest block first, those with damaged seals too. */
  public List<Path> list() {
    return index.files();
  }

  private void ensureOpen() {
    if (closed) {
      throw new QueueClosedException("the backup of queue " + queue + " is closed");
    }
  }

  /**
   * Waits for an {@link #archive} or {@link #expire} that is under way; later ones, and reads, fail
   * with {@link QueueClosedException}.
   */
  @Override
  public void close() {
    writing.lock();
    try {
      closed = true;
    } finally {
      writing.unlock();
    }
  }
}
