package com.wookler.river.core.log;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.GroupCommit;
import com.wookler.river.common.Waiters;
import com.wookler.river.common.WorkerPool;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.common.file.Device;
import com.wookler.river.common.file.DurableFiles;
import com.wookler.river.common.removed.SequenceRanges;
import com.wookler.river.core.log.chronicle.BlockStore;
import com.wookler.river.core.log.files.BlockName;
import com.wookler.river.core.log.files.BlockStart;
import com.wookler.river.core.log.files.Gaps;
import com.wookler.river.core.log.files.LogMarks;
import com.wookler.river.core.log.files.Seal;
import com.wookler.river.core.log.recovery.LogRecovery;
import com.wookler.river.core.log.recovery.RecoveredBlock;
import com.wookler.river.core.log.recovery.RecoveryInput;
import com.wookler.river.core.message.MessageTooLargeException;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.core.message.QueueFailedException;
import com.wookler.river.core.message.QueueFullException;
import com.wookler.river.core.message.Stamp;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The log of one queue: appends documents, opens readers, recycles, forces and removes blocks.
 *
 * <p><b>One appender behind one lock.</b> Publishers build and checksum their document outside
 * ({@link PublishBuffer}); under the lock only the sequence is assigned, the header stamped and the
 * bytes copied. Chronicle's own way, an appender for each thread, leaks, and is 3.5 times slower.
 *
 * <p><b>The end of the log is {@link #nextSequence}</b>, a volatile written last in an append.
 * Readers compare sequences and never ask the store, so a page that reads as empty is damage and
 * not "nothing new".
 *
 * <p>The append that reaches a block's limit recycles, into a file that was made ahead ({@link
 * Preallocation}). {@link BlockForcer} forces at every sync interval, and for publishers that wait
 * ({@link GroupCommit}). Thread-safe but for {@link #close}, which needs that all readers are
 * closed.
 */
public final class BlockLog implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(BlockLog.class);
  private static final int SAMPLE_MASK = 63;

  private final LogSettings settings;
  private final LogCounters counters;
  private final BlockStore store;
  private final Preallocation preallocation;
  private final BlockLimit limit;
  private final LogFailure failure;
  private final Ownership ownership;
  private final BlockForcer forcer;
  private final WorkerPool.Serial flusher;
  private final GroupCommit commits;
  private final Waiters arrivals = new Waiters();
  private final ReentrantLock appendLock = new ReentrantLock();
  private final Blocks blocks = new Blocks(); // written under the append lock and by forget()
  private final Capacity capacity = new Capacity(appendLock, blocks, () -> this.nextSequence);
  private final LogMarks marks;
  private final Gaps gaps;
  private final StoredTimes times;
  private final BlockScans scans = new BlockScans();
  private final String repaired;

  @GuardedBy("appendLock")
  private final Stamp stamp;

  @GuardedBy("appendLock")
  private long lastMicros;

  private volatile SequenceRanges removed = SequenceRanges.NONE;
  private volatile boolean closed; // written under the append lock
  private volatile Block active; // written under the append lock
  private volatile long nextSequence; // written under the append lock, last in an append

  private BlockLog(
      LogSettings settings,
      LogCounters counters,
      LogRecovery.Found found,
      BlockStore store,
      LogExecutors executors,
      Device device) {
    this.settings = settings;
    this.active = Block.of(found.active());
    this.counters = counters;
    this.store = store;
    this.flusher = executors.flusher();
    this.stamp = new Stamp(settings.identity());
    this.limit = new BlockLimit(settings);
    this.preallocation = new Preallocation(settings, executors, store, active, device);
    this.failure = new LogFailure(settings);
    this.ownership = new Ownership(failure, settings.ownershipCheck());
    this.commits = new LogForce(this, failure).commits(executors.committer());
    this.nextSequence = found.nextSequence();
    this.lastMicros = found.lastMicros();
    this.times = StoredTimes.open(settings, lastMicros);
    this.marks = found.marks();
    this.gaps = found.gaps();
    this.repaired = found.repaired();
    for (RecoveredBlock closed : found.sealed()) {
      Block block = Block.of(closed);
      block.close();
      blocks.add(block);
    }
    blocks.add(active);
    this.forcer = new BlockForcer(settings, blocks, marks, device);
  }

  /** Opens the log after any end of its last run, with what is known of it outside. */
  public static BlockLog open(
      LogSettings settings, LogCounters counters, LogExecutors executors, RecoveryInput input) {
    return open(settings, counters, executors, input, Device.REAL);
  }

  static BlockLog open(
      LogSettings settings,
      LogCounters counters,
      LogExecutors executors,
      RecoveryInput input,
      Device device) {
    BlockStore.requireJvm();
    LogRecovery.Found found = LogRecovery.open(settings.log(), input, device, settings.time());
    BlockStore store = null;
    try {
      store = open(settings, found);
      BlockLog log = new BlockLog(settings, counters, found, store, executors, device);
      log.begin(found.activeStarted());
      if (!found.activeStarted() && log.active.isStarted()) {
        log.forcer.forceFirst(log.active, executors.flusher());
      }
      return log;
    } catch (Throwable e) {
      if (store != null) {
        store.close(); // while the queue's LOCK is still held
      }
      found.marks().close();
      throw e;
    }
  }

  /** Opens the store with a mapping that covers any block: limits may have been larger before. */
  private static BlockStore open(LogSettings settings, LogRecovery.Found found) {
    long chunk =
        Math.max(
            settings.chunkBytes(),
            BlockSpace.roundUp(found.largestBlock()) + BlockSpace.PAGE_BYTES);
    Path directory = settings.directory();
    try {
      return BlockStore.open(
          directory,
          block -> BlockName.data(directory, block),
          found.active().seal().block(),
          chunk);
    } catch (RiverException e) {
      throw new RiverException("queue " + settings.queue() + ": " + e.getMessage(), e);
    }
  }

  private void begin(boolean activeStarted) {
    appendLock.lock();
    try {
      long now = settings.time().epochMicros();
      active.opened(settings.time(), times.ageOf(active.firstMicros()));
      preallocation.opened(now);
      if (activeStarted) {
        active.started();
        preallocation.continues(active);
      } else {
        startIfThereIsSpace(active);
      }
    } finally {
      appendLock.unlock();
    }
  }

  /**
   * Appends what the calling thread's {@link PublishBuffer} holds, all of it or nothing.
   *
   * @param micros the present by the wall clock; publish times never decrease all the same
   * @return the first sequence, or {@link Capacity#NONE}: nothing was stored, though there is
   *     capacity once more messages are completed, see {@link Capacity#free}
   * @throws QueueClosedException the log is closed; nothing was stored
   * @throws MessageTooLargeException over a quarter of the mapping; nothing was stored
   * @throws QueueFullException the disk has no space for it; nothing was stored
   * @throws RiverException a file cannot be opened now; nothing was stored
   * @throws QueueFailedException the log has failed, now (stored or not) or before (not stored)
   */
  public long append(PublishBuffer buffer, long micros) {
    settings.checkLength(buffer.document().length());
    long sequence;
    appendLock.lock();
    boolean interrupted = Thread.interrupted(); // the store's file channels close on an interrupt
    try {
      sequence = appendLocked(buffer, micros);
    } catch (InternalError e) { // a mapped page cannot be written
      throw failure.set("append to " + active.file(), e);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
      appendLock.unlock();
    }
    if (sequence != Capacity.NONE) {
      arrivals.published();
    }
    return sequence;
  }

  @GuardedBy("appendLock")
  private long appendLocked(PublishBuffer buffer, long now) {
    if (closed) {
      throw new QueueClosedException("queue " + settings.queue() + " is closed");
    }
    failure.refuse();
    long sequence = nextSequence;
    AppendCondition condition = buffer.condition();
    if (condition != null) {
      condition.check(sequence);
    }
    long micros = Math.max(lastMicros, times.storedAt(now));
    int count = buffer.document().count();
    Block block = withSpace(buffer.document().length());
    if (!buffer.isAdmitted() && !capacity.admits(sequence + count, buffer.document().length())) {
      return Capacity.NONE;
    }
    if (block.messages() == 0) {
      block.opened(settings.time(), 0);
    }
    long digest = stamp.stamp(buffer.document(), block.number(), sequence, micros);
    boolean sampled = (sequence & SAMPLE_MASK) == 0;
    long started = sampled ? settings.time().nanoTime() : 0;
    try {
      store.append(buffer.source());
    } catch (Throwable e) {
      throw failure.set("append sequence " + sequence + " to " + block.file(), e);
    }
    if (sampled) {
      counters.writeTime().add(settings.time().nanoTime() - started, 1);
    }
    block.appended(count, buffer.document().length(), micros, digest);
    block.end(store.position());
    lastMicros = micros;
    marks.end(sequence + count);
    nextSequence = sequence + count;
    capacity.appended(sequence, sequence + count, buffer.document().length());
    counters.adds().add(count);
    counters.storeAdds().add(count);
    preallocation.grown(block, now);
    if (limit.isReached(block)) {
      roll(block, now);
    }
    return sequence;
  }

  /** Returns the active block, with space for a document of this length. */
  @GuardedBy("appendLock")
  private Block withSpace(int length) {
    if (!active.isStarted()) {
      start(active);
    }
    try {
      preallocation.require(active, length);
    } catch (IOException e) {
      throw failure.set("take space for " + active.file(), e);
    }
    return active;
  }

  /**
   * Recycles the active block if its strategy says so and no thread publishes; returns whether. Has
   * stored times follow the clock if that was set back.
   */
  public boolean recycleIfDue() {
    if (!appendLock.tryLock()) {
      return false;
    }
    try {
      long last = lastMicros;
      if (times.isBehind(last) && !closed) {
        flusher.execute(() -> times.follow(last, false));
      }
      boolean due = !closed && !failure.isThere() && limit.isReached(active);
      if (due) {
        roll(active, settings.time().epochMicros());
      }
      return due;
    } finally {
      appendLock.unlock();
    }
  }

  /**
   * For housekeeping while publishers are refused: looks for space again. Without it, recycles the
   * active block once all its messages are completed, so that it can be deleted; if it is the only
   * one, the next takes its first bytes from the reserve.
   */
  public void relieve(Supplier<OptionalLong> floor) {
    long needed =
        preallocation.isShort() ? floor.get().orElse(-1) : -1; // takes locks of subscribers
    if (!preallocation.isShort() || !appendLock.tryLock()) {
      return;
    }
    try {
      boolean stays = closed || failure.isThere() || isSpaceAgain() || active.messages() == 0;
      if (!stays && needed >= nextSequence && preallocation.hasNext(blocks.count() == 1)) {
        roll(active, settings.time().epochMicros());
      }
    } finally {
      appendLock.unlock();
    }
  }

  @GuardedBy("appendLock")
  private boolean isSpaceAgain() {
    if (active.isStarted()) {
      return preallocation.relieve(active);
    }
    startIfThereIsSpace(active);
    return active.isStarted();
  }

  /** Returns why publishers were refused for lack of space the last time, if they ever were. */
  public Optional<Shortage> shortage() {
    return preallocation.shortage();
  }

  /** Returns whether publishers are refused for lack of space now. */
  public boolean isShort() {
    return preallocation.isShort();
  }

  @GuardedBy("appendLock")
  private void roll(Block done, long now) {
    Block next = done.next(nextSequence);
    try {
      startIfThereIsSpace(next);
    } catch (QueueFailedException e) {
      LOG.error("Queue {}: {}", settings.queue(), e.getMessage()); // what was appended is stored
      return;
    }
    blocks.add(next); // first: a sealed block may be forgotten at once
    done.close();
    active = next;
    preallocation.recycled(done, now);
    flusher.execute(this::forceNow);
  }

  /** Starts a block if there is space; else the next append starts it, or is refused. */
  @GuardedBy("appendLock")
  private void startIfThereIsSpace(Block block) {
    try {
      start(block);
    } catch (QueueFailedException e) {
      throw e;
    } catch (RiverException e) {
      LOG.debug("Block {} waits: {}", block.number(), e.getMessage());
    }
  }

  @GuardedBy("appendLock")
  private void start(Block block) {
    ownership.check();
    BlockStart start =
        new BlockStart(settings.identity(), block.number(), block.firstSequence(), lastMicros);
    long made;
    try {
      made = preallocation.starting(block);
      marks.block(block.number());
      store.startBlock(block.number(), start.encode());
    } catch (RiverException e) { // nothing was done
      throw e;
    } catch (Throwable e) {
      throw failure.set("start " + block.file(), e);
    }
    block.end(store.position());
    block.started();
    preallocation.started(block, made);
  }

  /** For housekeeping, twice a second: ends mappings that no reader has used for some time. */
  public void unmapIdle() {
    store.unmapIdle();
  }

  /** For housekeeping: fails the log if a file that it writes to was removed or cut. */
  public void checkFiles() {
    failure.unlessFails(
        "continue",
        () -> {
          marks.checkFile();
          Block at = active;
          if (at.isStarted() && Files.notExists(at.file()) && at == active) {
            throw new NoSuchFileException(at.file() + ", to which it appends, was removed");
          }
        });
  }

  public Ownership ownership() {
    return ownership;
  }

  /** Returns whether it has failed: then the store is asked nothing for which it could write. */
  public boolean isFailed() {
    return failure.isThere();
  }

  public Optional<Throwable> failure() {
    return failure.cause();
  }

  public long nextSequence() {
    return nextSequence;
  }

  /** Returns the sequence of the oldest message; {@link #nextSequence} if the log has none. */
  public long firstSequence() {
    return blocks.oldest().firstSequence();
  }

  /**
   * Returns a new reader at the oldest message, for one thread at a time. <b>It must {@link
   * LogReader#leave} a block before {@link #delete} of that block, and be closed before {@link
   * #close},</b> with no call under way: a read of a mapping that has ended crashes the process.
   */
  public LogReader reader() {
    return new LogReader(this, store, settings, counters);
  }

  public Gaps gaps() {
    return gaps;
  }

  /** Returns whether all before the first sequence, but for gaps, is known to have left the log. */
  public boolean isBeginningKnown() {
    return marks.isRemovedFound();
  }

  /** Returns the messages that were removed, which no reader is to be given. */
  public SequenceRanges removed() {
    return removed;
  }

  /** Replaces the set of messages that were removed. */
  public void removed(SequenceRanges sequences) {
    removed = sequences;
  }

  public StoredTimes times() {
    return times;
  }

  BlockScans scans() {
    return scans;
  }

  /** Returns what damage has lost around this message; empty if it is whole, or in no block. */
  Optional<Damage> damageAt(long sequence) throws IOException {
    Block block = blockOf(sequence);
    return block == null
        ? Optional.empty()
        : Optional.ofNullable(scans.damageOf(block, sequence, settings, nextSequence()));
  }

  public String repaired() {
    return repaired;
  }

  public Capacity capacity() {
    return capacity;
  }

  /** Returns where consumers wait. */
  public Waiters arrivals() {
    return arrivals;
  }

  @Nullable Block blockOf(long sequence) {
    return blocks.of(sequence);
  }

  /** Returns the end of the oldest closed blocks without which the others have this many bytes. */
  public long endOfAllBut(long bytes) {
    long left = blocks.bytes();
    long end = firstSequence();
    for (Block block : blocks.all()) {
      left -= block.end();
      if (!block.isClosed() || left < bytes) {
        break;
      }
      end = block.endSequence();
    }
    return end;
  }

  /**
   * Returns the oldest block's seal once it is closed and all of it is forced: a block that left is
   * forced no more.
   */
  public Optional<Seal> oldestSealed() {
    Block oldest = blocks.oldest();
    return oldest.isClosed() && oldest.endSequence() <= forcer.forcedEnd()
        ? Optional.of(oldest.toSeal(settings.identity()))
        : Optional.empty();
  }

  /** Returns the first block that ends after this sequence, if it is closed, forced and sealed. */
  public Optional<Seal> sealedFrom(long sequence) {
    for (Block block : blocks.from(sequence)) {
      if (block.endSequence() > sequence) {
        boolean sealed =
            block.isClosed()
                && active.isStarted() // else the appender may be in it
                && block.endSequence() <= forcer.forcedEnd()
                && Files.exists(BlockName.seal(settings.directory(), block.number()));
        return sealed ? Optional.of(block.toSeal(settings.identity())) : Optional.empty();
      }
    }
    return Optional.empty();
  }

  /**
   * Returns whether a block holds this message; recycles that if it is the active one, so that it
   * can be replaced once all is forced.
   */
  public boolean closeBlockOf(long sequence) {
    appendLock.lock();
    try {
      if (closed) {
        throw new QueueClosedException("queue " + settings.queue() + " is closed");
      }
      if (!failure.isThere() && active.holds(sequence)) {
        roll(active, settings.time().epochMicros());
      }
    } finally {
      appendLock.unlock();
    }
    return blockOf(sequence) != null;
  }

  /**
   * Replaces a sealed block by a file in the log's directory that has the same sequences and
   * another seal. Readers that have the block mapped continue in the old file until they leave it.
   * A crash leaves one of them, perhaps without a seal.
   */
  public void replace(Seal before, Path by, Seal after) throws IOException {
    ownership.check();
    Path sealFile = BlockName.seal(settings.directory(), before.block());
    Path[] next = { // beside it, so that a full disk is noticed before anything changes
      Path.of(sealFile + ".before" + DurableFiles.TEMPORARY),
      Path.of(sealFile + ".after" + DurableFiles.TEMPORARY)
    };
    int[] made = {0};
    try {
      DurableFiles.write(next[1], after.encode());
      DurableFiles.rename(sealFile, next[0]);
      store.replace(
          before.block(),
          () -> {
            DurableFiles.move(by, file(before));
            made[0] = 1;
            blocks.replace(after);
          });
      scans.forget(before.block());
      DurableFiles.forceDirectory(settings.directory());
    } finally {
      if (!Files.exists(sealFile)) {
        DurableFiles.rename(next[made[0]], sealFile);
      }
      Files.deleteIfExists(next[1 - made[0]]);
    }
  }

  public Path file(Seal seal) {
    return BlockName.data(settings.directory(), seal.block());
  }

  /** Forgets a drained block: no reader finds it from now on. {@link #delete} comes later. */
  public void forget(Seal seal) {
    blocks.remove(seal.firstSequence());
  }

  /** Deletes the files of a forgotten block, which every reader has released. */
  public void delete(Seal seal) throws IOException {
    leaves(seal);
    store.remove(seal.block());
    Files.deleteIfExists(file(seal));
    Files.deleteIfExists(BlockName.seal(settings.directory(), seal.block()));
  }

  /** Records that a block leaves the log; on the device when this returns. */
  void leaves(Seal seal) throws IOException {
    ownership.check();
    forcer.leaves(seal.endSequence());
  }

  /** Returns the number of blocks: those with messages, and the active one. */
  public int blocks() {
    return blocks.count();
  }

  /** Returns what each block holds now, the oldest first; the last one is the active one. */
  public List<Seal> contents() {
    appendLock.lock(); // else what the active block says is half from before an append
    try {
      return blocks.all().stream().map(block -> block.toSeal(settings.identity())).toList();
    } finally {
      appendLock.unlock();
    }
  }

  /** Returns the block that holds this sequence and those after it, the oldest first. */
  public List<BlockInfo> blocksFrom(long sequence) {
    return List.copyOf(blocks.from(sequence));
  }

  /** Returns the bytes in use of all blocks. */
  public long bytes() {
    return blocks.bytes();
  }

  /** Returns the first with a message published at or after this time, null if there is none. */
  @Nullable Block publishedAt(long micros) {
    return blocks.publishedAt(micros);
  }

  /** Returns whether something is not forced yet, or a seal waits for space. */
  public boolean isDirty() {
    return !failure.isThere()
        && (forcer.forcedEnd() < nextSequence || marks.isUnforced() || forcer.isSealLate());
  }

  /** Returns the sequence below which all messages are on the device. */
  public long forcedEnd() {
    return forcer.forcedEnd();
  }

  public GroupCommit commits() {
    return commits;
  }

  /** Forces and seals; called on the flusher's executor only. A failure stops the log. */
  public void forceNow() {
    forceAppended();
    failure.unlessFails("seal its blocks", forcer::seal);
  }

  /** Forces what was appended so far; on a serial executor of the pool. A failure stops the log. */
  public void forceAppended() {
    failure.unlessForceFails(() -> forcer.force(nextSequence));
  }

  /** Forces as {@link #forceAppended} does, on any thread, what needs no channel. */
  void forceMapped() {
    failure.unlessForceFails(() -> forcer.forceMapped(nextSequence));
  }

  /**
   * Forces all that was appended before.
   *
   * @throws QueueFailedException the device refused
   * @throws RiverException a file cannot be opened now; it is tried again
   */
  public void force() {
    long end = nextSequence;
    flusher.execute(this::forceNow);
    flusher.drain();
    if (failure.isThere() || forcer.forcedEnd() < end) {
      throw failure.notForced();
    }
  }

  /**
   * Copies the log, as far as it goes now, into a directory, and forces its marks there. No block
   * must be deleted meanwhile.
   */
  public LogCopy copyTo(Path target) throws IOException {
    LogCopy copy;
    appendLock.lock();
    try {
      copy = new LogCopy(settings, blocks.all(), nextSequence);
    } finally {
      appendLock.unlock();
    }
    force(); // so that what was closed then is sealed
    copy.writeTo(target);
    return copy;
  }

  public boolean isStopped() {
    return closed;
  }

  /** Ends appending: every later append is refused, those under way are done when this returns. */
  public void stop() {
    appendLock.lock();
    try {
      closed = true;
    } finally {
      appendLock.unlock();
    }
  }

  /** Forces and closes. All readers must be closed before: see {@link #reader}. */
  @Override
  public void close() {
    stop();
    flusher.execute(this::forceNow);
    flusher.execute(forcer::close);
    flusher.drain();
    commits.end();
    preallocation.end();
    store.close();
    marks.close();
    if (active.isStarted() && !failure.isThere()) {
      active.trim();
    }
  }
}
