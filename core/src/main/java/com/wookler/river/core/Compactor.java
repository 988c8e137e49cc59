package com.wookler.river.core;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.RetryBackoff;
import com.wookler.river.common.errors.DamagedException;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.common.removed.SequenceRanges;
import com.wookler.river.common.settings.Option;
import com.wookler.river.core.backup.Backup;
import com.wookler.river.core.backup.StoredBlock;
import com.wookler.river.core.delay.Delays;
import com.wookler.river.core.log.BlockLog;
import com.wookler.river.core.log.files.BlockCompactor;
import com.wookler.river.core.log.files.BlockCompactor.Compacted;
import com.wookler.river.core.log.files.Seal;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.core.message.StoredMessage;
import com.wookler.river.core.message.Terms;
import java.io.IOException;
import java.time.Duration;
import java.util.BitSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes the messages of which a later one has the key, from closed blocks and from backups, and
 * keys that were deleted. A pass goes through all of them, oldest first, a block or backup a step.
 *
 * <p>All is forced before a file is replaced: a power loss must not take a message and the one that
 * supersedes it. A delete marker is removed last, once everything before it was compacted;
 * otherwise an older message of its key would be the last again.
 *
 * <p>Steps run on the queue's serial executor on the worker, as archiving does; they are confined
 * to it, but for what says otherwise.
 */
final class Compactor {
  private static final Logger LOG = LoggerFactory.getLogger(Compactor.class);
  private static final int KNOWN_KEYS = 4_096;
  private static final int WORTH = 10; // a tenth of a block is to be freed, in the background
  private static final long NONE = Long.MIN_VALUE;

  private final String queue;
  private final QueueStorage storage;
  private final BlockLog log;
  private final @Nullable Backup backup;
  private final @Nullable LatestByKey keys;
  private final BlockRewriter files;
  private final SubscriberRegistry<?> subscribers;
  private final Delays delays;
  private final boolean on;
  private final RetryBackoff retry; // but for isTime
  private final AtomicLong removed = new AtomicLong();
  private final Set<Integer> empty = ConcurrentHashMap.newKeySet(); // blocks without messages
  private @Nullable Pass pass; // in the background: under way, or stopped at a block
  private boolean all; // whether the next pass frees little too
  private volatile boolean busy; // whether a pass is under way in the background
  private final Object growth = new Object();

  @GuardedBy("growth")
  private long counted; // the sequence to which blocks are counted, once they are sealed

  @GuardedBy("growth")
  private long grownBytes; // of those counted since a pass began

  private volatile long reached; // the sequence to which it came
  private volatile long begun; // when it began; of no meaning before the first
  private volatile boolean anew = true; // whether there was none yet
  private volatile boolean young; // whether it stopped at a block that was too young
  private volatile long youngest; // delete marker that it, or an earlier run, left for its age
  private volatile @Nullable Seal awaited; // the block at which the pass has stopped
  private volatile boolean stopped; // set by the closing thread

  Compactor(
      QueueStorage storage, SubscriberRegistry<?> subscribers, Delays delays, BlockRewriter files) {
    this.storage = storage;
    this.queue = storage.config.name();
    this.log = storage.log;
    this.backup = storage.backup;
    this.keys = storage.keys;
    this.subscribers = subscribers;
    this.delays = delays;
    this.files = files;
    this.on = storage.config.get(QueueOptions.COMPACT);
    this.retry = new RetryBackoff(storage.config.time());
    List<Seal> blocks = log.contents(); // markers in those before the active one are no younger
    this.youngest =
        on && log.nextSequence() > 0 ? blocks.get(blocks.size() - 1).firstMicros() : NONE;
  }

  /** Returns how many messages were removed since the queue was opened; any thread. */
  long removed() {
    return removed.get();
  }

  /** Returns whether a completed block stays in the log, which nothing else keeps; any thread. */
  boolean keeps(Seal seal) {
    return on && backup == null && !empty.contains(seal.block());
  }

  /** Returns whether there is something to do in the background; any thread. */
  boolean isDue() {
    return on
        && log.failure().isEmpty()
        && retry.isTime()
        && (busy || isAwaitedRead() || hasGrown() || hasAged());
  }

  /** Returns whether all have completed the block at which the pass has stopped for them. */
  private boolean isAwaitedRead() {
    Seal block = awaited;
    try {
      return block != null && isAllowed(block);
    } catch (RuntimeException e) { // of a subscriber or forward: the pass says so
      return true;
    }
  }

  /** Counts a block that has left the log for the backup; on the serial executor. */
  void left(Seal block) {
    synchronized (growth) {
      count(block);
    }
  }

  /** A block counts once it is sealed: a pass would not see it before. */
  private boolean hasGrown() {
    synchronized (growth) {
      for (var next = log.sealedFrom(counted); next.isPresent(); next = log.sealedFrom(counted)) {
        count(next.get());
      }
      return grownBytes >= storage.config.get(QueueOptions.COMPACT_BYTES);
    }
  }

  @GuardedBy("growth")
  private void count(Seal block) {
    if (block.endSequence() > counted) {
      counted = block.endSequence();
      grownBytes += block.bytes();
    }
  }

  /**
   * Returns whether a block after the last pass is old enough for one, at most as often as blocks
   * grow old, or need not be any more, or whether all delete markers are that it left.
   */
  private boolean hasAged() {
    long marker = youngest;
    if (marker != NONE && log.times().ageOf(marker) >= micros(QueueOptions.COMPACT_DELETES_AGE)) {
      return true;
    }
    long age = micros(QueueOptions.COMPACT_AGE);
    long passed = TimeUnit.NANOSECONDS.toMicros(storage.config.time().nanoTime() - begun);
    try {
      return (age > 0 ? anew || passed >= age : young)
          && next(reached).filter(this::isAllowed).isPresent();
    } catch (RuntimeException e) { // of a backup that cannot be read: the pass says so
      return true;
    }
  }

  /** Does a step in the background. */
  void compactOne() {
    if (!isDue()) {
      return;
    }
    Pass current = pass;
    if (current == null || (!busy && (hasGrown() || !isAwaitedRead()))) {
      current = begin();
    } else if (!busy) {
      current.resume();
      busy = true;
    }
    try {
      if (!current.step()) {
        end(current);
      }
      retry.succeeded();
    } catch (QueueClosedException e) {
      pass = null; // the next opening begins anew
    } catch (IOException | RuntimeException | Error e) {
      LOG.warn(
          "Queue {}: cannot compact it from sequence {} on; next try in {} s: {}",
          queue,
          current.next,
          retry.failed(),
          e.toString());
    }
  }

  /** Begins a pass, also in place of one that has stopped. */
  private Pass begin() {
    Pass begins = new Pass(all);
    pass = begins;
    awaited = null;
    busy = true;
    begun = storage.config.time().nanoTime();
    anew = false;
    synchronized (growth) {
      grownBytes = 0;
    }
    return begins;
  }

  /** Ends a pass, or keeps one that has stopped at a block until all have completed that. */
  private void end(Pass done) {
    awaited = done.stoppedAt;
    pass = awaited == null ? null : done;
    all = done.markersWait;
    young = done.young;
    reached = done.next;
    youngest = all && !done.whole ? Math.max(done.youngest, log.times().now()) : done.youngest;
    busy = false;
  }

  /** Compacts all that may be; returns how many messages were removed. Any thread but the pools. */
  long compact() {
    Pass whole = new Pass(true);
    try {
      while (CompletableFuture.supplyAsync(whole::stepOrFail, storage.worker).join()) {
        // other queues have their turn
      }
    } catch (CompletionException | RejectedExecutionException e) {
      throw e.getCause() instanceof QueueClosedException closed
          ? closed
          : new RiverException("queue " + queue + ": it could not be compacted: " + e, e);
    }
    return whole.removed;
  }

  /** Ends a step that is under way at the next message; later ones are refused. Any thread. */
  void stop() {
    stopped = true;
  }

  private void ensureOpen() {
    if (stopped) {
      throw new QueueClosedException("queue " + queue + " is closed");
    }
  }

  /** Returns the first backup that ends after a sequence, unless the log has that. */
  private Optional<StoredBlock> stored(long next) {
    long first = log.firstSequence();
    return backup == null || next >= first
        ? Optional.empty()
        : backup.endingAfter(next).filter(stored -> stored.block().firstSequence() < first);
  }

  private Optional<Seal> sealed(long next) {
    return log.sealedFrom(Math.max(next, log.firstSequence()));
  }

  private Optional<Seal> next(long next) {
    return stored(next).map(StoredBlock::block).or(() -> sealed(next));
  }

  private boolean isOldEnough(Seal block) {
    long age = micros(QueueOptions.COMPACT_AGE);
    return age == 0 || log.times().ageOf(block.lastMicros()) >= age;
  }

  private boolean isAllowed(Seal block) {
    return isOldEnough(block)
        && delays.lowWatermark() >= block.endSequence()
        && (storage.config.get(QueueOptions.COMPACT_UNSEEN)
            || subscribers.havePassed(block.endSequence()));
  }

  /** One pass over all backups and closed blocks. */
  private final class Pass {
    private final boolean whole; // whether to rewrite a block whatever that frees
    private final Map<String, Later> known = // later messages of keys
        new LinkedHashMap<>(64, 0.75f, true) {
          @Override
          protected boolean removeEldestEntry(Map.Entry<String, Later> eldest) {
            return size() > KNOWN_KEYS;
          }
        };
    private final Set<String> pinned = new HashSet<>(); // keys of which an older message stays
    private final long end = log.nextSequence(); // a delete marker behind it is for the next pass
    private long next;
    private @Nullable Seal stoppedAt; // a block that is old enough, but not completed by all
    private boolean young; // whether it has stopped at a block that is not
    private boolean resumed;
    private boolean complete = true; // whether all before next was compacted
    private boolean markersWait;
    private long youngest = NONE;
    private long removed;

    Pass(boolean whole) {
      this.whole = whole;
    }

    boolean stepOrFail() {
      try {
        return step();
      } catch (IOException e) {
        throw new CompletionException(e);
      }
    }

    /** Continues after it has stopped; what came after it began is for the next pass. */
    void resume() {
      resumed = true;
      stoppedAt = null;
    }

    /** Compacts the next backup or block, and returns whether there may be another. */
    boolean step() throws IOException {
      if (resumed && next >= end) {
        return false;
      }
      Backup past = backup;
      Optional<StoredBlock> stored = stored(next);
      if (past != null && stored.isPresent()) {
        return take(stored.get().block(), () -> compact(past, stored.get()));
      }
      Optional<Seal> seal = sealed(next);
      return seal.isPresent() && take(seal.get(), () -> compact(seal.get()));
    }

    private boolean take(Seal block, Work work) throws IOException {
      if (!isAllowed(block)) {
        young = !isOldEnough(block);
        stoppedAt = !young && block.firstSequence() < end ? block : null;
        known.clear(); // it may wait for long, and a later message be removed meanwhile
        return false; // none after it is
      }
      @Nullable Compacted done = new Compacted(0, block.messages(), 0, 0);
      try {
        done = work.run();
      } catch (DamagedException e) {
        complete = false;
        LOG.debug("Queue {}: block {} is not compacted", queue, block.block(), e);
      }
      if (done == null) {
        return true; // what has changed meanwhile counts, in another look at the block
      }
      next = block.endSequence();
      if (done.left() == 0) {
        empty.add(block.block());
      }
      return true;
    }

    private @Nullable Compacted compact(Backup past, StoredBlock stored) throws IOException {
      Choice choice = new Choice(stored.block());
      Compacted found = Backup.count(stored, choice::isRemoved);
      past.deleteTwins(stored);
      return rewrite(
          stored.block(),
          found,
          () -> files.rewrite(past, stored, choice::wasRemoved, choice::isAllowed));
    }

    private @Nullable Compacted compact(Seal seal) throws IOException {
      Choice choice = new Choice(seal);
      return rewrite(
          seal,
          BlockCompactor.count(log.file(seal), seal, choice::isRemoved),
          () -> files.rewrite(seal, choice::wasRemoved, choice::isAllowed));
    }

    private @Nullable Compacted rewrite(Seal block, Compacted found, Rewriting rewriting)
        throws IOException {
      boolean worth = whole || found.left() == 0 || found.freed() * WORTH >= block.bytes();
      if (found.removed() == 0) {
        return found;
      }
      if (!worth) {
        complete = false;
        return new Compacted(0, block.messages(), 0, 0);
      }
      if (!rewriting.run()) {
        return null;
      }
      removed += found.removed();
      Compactor.this.removed.addAndGet(found.removed());
      return found;
    }

    private boolean isRemoved(StoredMessage message, Choice choice) {
      String key = message.key();
      Terms terms = message.terms();
      if (key == null || Terms.isHidden(terms)) {
        return false;
      }
      if (terms != null && terms.origin() != null) { // it says that its original is done
        pin(key);
        return false;
      }
      Later later = laterOf(key, message.sequence());
      if (later == null) {
        return message.data().length == 0 && isOver(message);
      }
      if (later.isIn(log.removed())) { // no subscriber is given that one
        pin(key);
        return false;
      }
      choice.rests.add(later);
      return true;
    }

    /** Which messages of a block are removed: decided once, when they are counted. */
    private final class Choice {
      private final Seal block;
      private final BitSet chosen = new BitSet();
      private final Set<Later> rests = new HashSet<>(); // on these: they supersede what is removed

      Choice(Seal block) {
        this.block = block;
      }

      private int index(StoredMessage message) {
        return Math.toIntExact(message.sequence() - block.firstSequence());
      }

      boolean isRemoved(StoredMessage message) {
        ensureOpen();
        boolean removes = Pass.this.isRemoved(message, this);
        chosen.set(index(message), removes);
        return removes;
      }

      boolean wasRemoved(StoredMessage message) {
        ensureOpen();
        return chosen.get(index(message));
      }

      /**
       * Returns whether no subscriber has moved back to the block, and what supersedes a message is
       * on the device, and was not removed since.
       */
      boolean isAllowed() {
        if (!Compactor.this.isAllowed(block)) {
          return false;
        }
        SequenceRanges taken = log.removed();
        long forced = log.forcedEnd();
        return rests.stream().allMatch(later -> later.sequence < forced && !later.isIn(taken));
      }
    }

    /** Keeps the delete markers of a key: without them an older message would be the last. */
    private void pin(String key) {
      if (pinned.size() < KNOWN_KEYS) {
        pinned.add(key);
      } else {
        complete = false;
      }
    }

    /** Returns the last message of a key if it is behind a sequence; null if it is not. */
    private @Nullable Later laterOf(String key, long sequence) {
      Later later = known.get(key);
      if (later == null || later.sequence <= sequence) {
        StoredMessage last = LatestByKey.of(keys, queue).lastAfter(key, sequence);
        if (last == null || last.sequence() <= sequence) {
          return null;
        }
        later = new Later(last.sequence(), last.originalSequence());
        known.put(key, later);
      }
      return later;
    }

    /** Returns whether the last message of a key, without data, may be removed. */
    private boolean isOver(StoredMessage marker) {
      long age = log.times().ageOf(marker.publishedMicros());
      if (age < micros(QueueOptions.COMPACT_DELETES_AGE)) {
        youngest = Math.max(youngest, marker.publishedMicros());
        return false;
      }
      boolean due = marker.sequence() < end && !pinned.contains(marker.key());
      markersWait |= due && !complete;
      return due && complete;
    }
  }

  /** A message of a key, and the delayed one of which it is a copy, or itself. */
  private record Later(long sequence, long original) {
    boolean isIn(SequenceRanges removed) {
      return removed.contains(sequence) || removed.contains(original);
    }
  }

  @FunctionalInterface
  private interface Work {
    /** Returns what a block has now, or null if it must not be replaced after all. */
    @Nullable Compacted run() throws IOException;
  }

  @FunctionalInterface
  private interface Rewriting {
    /** Returns whether it was done. */
    boolean run() throws IOException;
  }

  private long micros(Option<Duration> option) {
    return TimeUnit.NANOSECONDS.toMicros(storage.config.get(option).toNanos());
  }
}
