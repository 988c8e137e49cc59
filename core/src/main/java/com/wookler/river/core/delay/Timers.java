package com.wookler.river.core.delay;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.core.log.BlockLog;
import com.wookler.river.core.log.LogReader;
import com.wookler.river.core.log.PublishBuffer;
import com.wookler.river.core.message.DocumentWriter;
import com.wookler.river.core.message.MessageTooLargeException;
import com.wookler.river.core.message.StoredMessage;
import com.wookler.river.core.message.Terms;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The messages of a queue that wait for their time.
 *
 * <p><b>Collecting.</b> The timer's thread reads the log and remembers what is delayed: when it is
 * due, and where the log has it. At each force of the queue, those that still wait go into the
 * files of {@link TimerStore}, and only then may their blocks leave the log. So what is due sooner
 * is never written twice, and the memory is bounded: when too much is remembered, collecting waits
 * for the files.
 *
 * <p><b>Delivering.</b> What is due is appended to the log once more, as a re-enqueued copy, in one
 * order: by time, then by sequence. All up to a key is done, so that this key is all that has to be
 * kept of what is done. A message that is collected too late for its place gets the next one, and
 * one that is damaged, and not to be passed over, one of a minute later, again and again.
 *
 * <p><b>Crashes.</b> How far all got is written after the log was forced, and only what the log had
 * then. What happened since is in the log: it is collected again from there, and the copies that
 * are there already are found. So a kill neither loses nor doubles anything, and a power loss does
 * to a copy what it does to any message.
 *
 * <p>All times are those of {@link TimerClock}.
 *
 * <p>Thread-safe. Under the lock the log is appended to.
 */
final class Timers implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Timers.class);
  private static final int COLLECT_STEP = 2_048;
  private static final int COPIES = 256; // in a document, at most
  private static final int COPY_BYTES = 256 << 10;
  private static final long STATE_STEP = 100_000; // messages of the log that an opening reads again
  private static final int MICRO = 1_000;
  private static final long AGAIN_MICROS = 60_000_000; // after which what is damaged is tried again
  private static final long AGAIN_NANOS = 1_000_000_000; // as above a flush
  private static final int FEW = 4; // a quarter left in memory: time to look into the files

  private final DelayContext context;
  private final DelayLimits limits;
  private final BlockLog log;
  private final ReentrantLock lock = new ReentrantLock(true); // a flush must get its turn
  private final AtomicInteger publishing = new AtomicInteger();
  private final AtomicBoolean asked = new AtomicBoolean(); // for a flush

  /** Below it there may be delayed messages that are not collected. */
  private final AtomicLong announced = new AtomicLong();

  private volatile boolean dirty;
  private volatile long safeCollected;
  private volatile long heldFrom = Long.MAX_VALUE; // read by who removes blocks; under the lock
  private boolean failing; // the last flush; confined to the flusher
  private volatile boolean putOff; // as above: a flush may be asked for again after a second
  private volatile long putOffAt; // written before it

  @GuardedBy("lock")
  private final NextDue due;

  @GuardedBy("lock")
  private int copies = COPIES; // in the next document

  private final TimerStore store;
  private final WaitingRecords records;

  @GuardedBy("lock")
  private final LogWalk walk;

  @GuardedBy("lock")
  private Set<Long> known; // of the log, that are not to be collected

  private final long openedEnd;
  private final long copiedBefore; // by earlier runs, and known when this one began

  private final TimerClock clock;
  private volatile TimerClock.Reading writtenAt; // when the state was; written by the flusher

  @GuardedBy("lock")
  private long caughtUpAt; // when all of the log was collected

  @GuardedBy("lock")
  private long collected;

  @GuardedBy("lock")
  private Key done;

  @GuardedBy("lock")
  private boolean doneInFiles; // since the state was written

  /**
   * Whether all else waits for the state: it is to say first that what is damaged waits elsewhere.
   * Otherwise an opening would find copies of what comes behind it, and not know these for done.
   */
  @GuardedBy("lock")
  private boolean heldBack;

  private @Nullable Capture captured; // confined to the flusher

  /** How far all had got when the force of the log began. */
  private record Capture(
      DueHeap waiting, long collected, long copied, Key done, boolean doneInFiles) {}

  Timers(DelayContext context, DelayLimits limits) throws IOException {
    this.context = context;
    this.limits = limits;
    WaitingMessages messages = new WaitingMessages(context);
    this.log = context.log();
    StoreOpening.Opened opened = StoreOpening.open(context);
    NearIndex index = new NearIndex();
    this.records = new WaitingRecords(context, messages, index, lock);
    this.due = new NextDue(context, messages, index, opened.state().collected(), COPIES);
    this.store = new TimerStore(context, limits, lock, index, new Lost(), opened);
    this.known = opened.known();
    this.collected = opened.state().collected();
    this.openedEnd = log.nextSequence();
    this.copiedBefore = opened.state().copied();
    this.announced.set(openedEnd);
    this.done = opened.state().done();
    this.safeCollected = store.safeCollected();
    this.walk = LogWalk.collecting(context);
    this.writtenAt = opened.state().clock();
    this.clock = new TimerClock(context.time(), writtenAt, done.time());
    begin(opened);
    clock.showed(done.time());
    this.caughtUpAt = clock.now();
  }

  /** What files have lost waits in memory until the next flush has written it to others. */
  private final class Lost implements TimerStore.Rebuilt {
    @Override
    public long dueAt(Terms terms, long publishedMicros) {
      return terms.dueAt(clock.now() - Math.max(0, log.times().ageOf(publishedMicros)));
    }

    @Override
    public void waits(Map<Long, Long> times) {
      lock.lock();
      try {
        times.forEach(
            (sequence, time) -> {
              due.add(timeOf(time, sequence), sequence, NearIndex.ELSEWHERE);
              heldFrom = Math.min(heldFrom, sequence);
            });
        dirty = true;
      } finally {
        lock.unlock();
      }
    }

    @Override
    public Set<Long> waiting() {
      lock.lock();
      try {
        return due.fresh.sequences();
      } finally {
        lock.unlock();
      }
    }
  }

  /** What the log has a copy of is the next that would be due, and is done. */
  @SuppressWarnings("GuardedBy") // the store asks under the lock
  private void begin(StoreOpening.Opened opened) throws IOException {
    Set<Long> copied = opened.copied();
    lock.lock();
    try {
      Key before = done;
      store.rebuild(opened.lost());
      store.begin(
          before,
          (time, sequence, place) -> {
            boolean is = copied.contains(sequence);
            if (is && done.isBefore(time, sequence)) {
              done = new Key(time, sequence);
            }
            return is;
          });
      due.opened();
    } catch (Throwable e) {
      close();
      throw e;
    } finally {
      lock.unlock();
    }
  }

  /** A message that is perhaps delayed is about to be appended. */
  void entering() {
    publishing.incrementAndGet();
  }

  /** It was appended, or not. */
  void left() {
    announced.accumulateAndGet(log.nextSequence(), Math::max);
    publishing.decrementAndGet();
  }

  /**
   * Does a little of what is due.
   *
   * @return how many nanoseconds there is nothing to do; 0 if there is more
   */
  long step() {
    long again = untilAskedAgain();
    long until = clock.now(); // first: all that was published by then is collected
    boolean more = collect();
    long wait = deliver(until);
    return more ? 0 : Math.min(wait, again);
  }

  /** Whoever waits for a flush that was put off asks again, whenever housekeeping forces next. */
  private long untilAskedAgain() {
    if (!putOff) {
      return Long.MAX_VALUE;
    }
    long left = putOffAt + AGAIN_NANOS - context.time().nanoTime();
    if (left > 0) {
      return left;
    }
    putOff = false;
    asked.set(false);
    return Long.MAX_VALUE;
  }

  /** Returns whether there is more. */
  private boolean collect() {
    boolean full = false;
    lock.lock();
    try {
      long now = clock.now();
      long end = passedOver();
      for (int i = 0; i < COLLECT_STEP && collected < end; i++) {
        if (due.fresh.size() >= limits.fresh()) {
          full = true;
          break;
        }
        StoredMessage message = walk.at(collected);
        if (message != null && Terms.isDelayed(message.terms())) {
          collect(message, walk.location());
        }
        collected = Math.max(collected, walk.behind());
      }
      if (collected >= openedEnd) {
        known = Set.of();
      }
      if (collected >= end) {
        caughtUpAt = now;
      }
      return !full && collected < end;
    } finally {
      lock.unlock();
      if (full) {
        askForFlush();
      }
    }
  }

  /** Passes over what cannot be delayed. Returns up to where the log is to be looked at. */
  @GuardedBy("lock")
  private long passedOver() {
    long end = log.nextSequence(); // before the question whether somebody is about to announce
    if (publishing.get() == 0 && collected >= announced.get()) {
      collected = Math.max(collected, end);
    }
    return end;
  }

  @GuardedBy("lock")
  private void collect(StoredMessage message, long location) {
    Terms terms = message.terms();
    if (terms == null || known.contains(message.sequence())) {
      return;
    }
    long now = clock.now();
    long ago = Math.max(0, log.times().ageOf(message.publishedMicros()));
    if (message.sequence() >= openedEnd) { // whatever the wall clock shows by now
      ago = Math.min(ago, now - caughtUpAt);
    }
    long time = timeOf(terms.dueAt(now - ago), message.sequence());
    due.add(time, message.sequence(), location);
    dirty = true;
  }

  /** Returns when a message is due that is collected now. */
  @GuardedBy("lock")
  private long timeOf(long time, long sequence) {
    if (done.isBefore(time, sequence)) {
      return time;
    }
    return done.isBefore(done.time(), sequence) ? done.time() : done.time() + 1;
  }

  private void askForFlush() {
    if (asked.compareAndSet(false, true)) {
      context.queueParts().flushSoon();
    }
  }

  /** Copies what was due by a time; returns the nanoseconds until something is. */
  private long deliver(long until) {
    boolean blocked = false;
    boolean needsFiles = false;
    lock.lock();
    try {
      if (heldBack) {
        needsFiles = true;
        return Long.MAX_VALUE; // the flush wakes
      }
      long now = clock.now();
      long wall = context.time().epochMicros();
      PublishBuffer buffer = PublishBuffer.ofThread();
      DocumentWriter document = buffer.document();
      document.start();
      blocked = due.takeOut(until, document, copies, COPY_BYTES);
      append(buffer, now, wall);
      needsFiles = blocked || due.index.needsFiles(limits.entries() / FEW);
      return due.taken() > 0 ? 0 : untilDue(now, blocked);
    } finally {
      lock.unlock();
      if (needsFiles) {
        askForFlush();
      }
    }
  }

  /** Appends the copies; if that fails, all waits on. A document that is too large is for one. */
  @GuardedBy("lock")
  private void append(PublishBuffer buffer, long now, long wall) {
    if (due.taken() == 0) {
      return;
    }
    int made = buffer.document().count();
    try {
      if (made > 0) {
        buffer.admit();
        log.append(buffer, wall);
      }
      copies = COPIES;
    } catch (MessageTooLargeException e) {
      due.putBack();
      if (copies == 1) {
        throw e;
      }
      copies = 1;
      return;
    } catch (Throwable e) {
      due.putBack();
      throw e;
    } finally {
      buffer.document().finish();
    }
    done = Collections.max(List.of(done, due.last())); // one that was lost may come from before
    heldBack = due.waitOn();
    doneInFiles |= due.anyOfFiles() || heldBack;
    due.done(Math.max(now, done.time()) + AGAIN_MICROS);
    dirty = true;
    context.queueParts().delivered(made);
  }

  @GuardedBy("lock")
  private long untilDue(long now, boolean blocked) {
    long next = due.time();
    if (next == Long.MAX_VALUE || blocked) {
      return Long.MAX_VALUE; // a publish or a flush wakes
    }
    long micros = next - now;
    return micros > Long.MAX_VALUE / MICRO ? Long.MAX_VALUE : Math.max(1, micros) * MICRO;
  }

  /** Notes how far all got; on the flusher, before the log is forced. */
  void capture() {
    lock.lock();
    try {
      passedOver();
      dirty = false;
      due.index.capture();
      store.takeRebuilt(); // what was found before is among what waits
      captured = new Capture(due.fresh.sorted(), collected, copied(), done, doneInFiles);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Up to where the log has no copy that an opening has to know. That does not move before all is
   * collected that an earlier run may have copied: the next opening would not know what that was.
   */
  @GuardedBy("lock")
  private long copied() {
    return collected >= openedEnd ? log.nextSequence() : copiedBefore;
  }

  /** Writes none of it: the log was not forced. Tried again, though nobody asks. */
  void postpone() {
    captured = null;
    putOff();
  }

  private void putOff() {
    dirty = true;
    asked.set(true); // nobody else asks meanwhile
    putOffAt = context.time().nanoTime();
    putOff = true;
  }

  /** Writes that to the device; after the log was forced. A failure is logged, and tried again. */
  void flush() {
    Capture all = captured;
    captured = null;
    putOff = false;
    asked.set(false);
    if (all == null) {
      return;
    }
    try {
      flush(all);
      failing = false;
    } catch (IOException
        | RuntimeException e) { // what stands in the log may be unreadable just now
      putOff();
      if (!failing) {
        failing = true;
        LOG.warn(
            "Queue {}: delayed messages stay in the log, and what is due may be late: cannot write"
                + " to {}; trying again: {}",
            context.queue(),
            context.directory(),
            e.toString());
      }
    }
  }

  private void flush(Capture all) throws IOException {
    try (LogReader reader = log.reader()) {
      store.write(all.waiting, records.of(reader));
    }
    lock.lock();
    try {
      store.include(all.waiting, done);
      due.fresh.retain((time, sequence, place) -> !all.waiting.contains(time, sequence));
    } finally {
      lock.unlock();
    }
    store.tend(all.done, this::doneNow);
    if (store.takeRebuilt()) { // it is in no file: until it is, the state before tells of it
      putOff();
    } else if (store.isChanged() || all.doneInFiles || isBehind(all.collected) || isClockSet()) {
      TimerClock.Reading now = clock.read();
      store.writeState(all.collected, all.copied, all.done, now);
      writtenAt = now;
      safeCollected = store.safeCollected();
      heldFrom = Long.MAX_VALUE;
      forgetDoneInFiles(all.done);
    }
  }

  @SuppressWarnings("GuardedBy") // the store asks under the lock
  private Key doneNow() {
    return done;
  }

  private void forgetDoneInFiles(Key written) {
    lock.lock();
    try {
      boolean all = done.equals(written);
      doneInFiles &= !all;
      heldBack &= !all;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns whether the state is so old that an opening would read much, or that a block cannot go.
   */
  private boolean isBehind(long now) {
    return now > safeCollected
        && (now - safeCollected >= STATE_STEP
            || log.oldestSealed().filter(seal -> seal.endSequence() > safeCollected).isPresent());
  }

  /** Returns whether there is something to flush. */
  boolean isDirty() {
    return dirty || store.isChanged() || isBehind(log.nextSequence()) || isClockSet();
  }

  /**
   * Returns whether the next opening would take a step of the wall clock for time that has passed.
   */
  private boolean isClockSet() {
    return clock.isSetSince(writtenAt);
  }

  /** Returns the lowest sequence of the log that is still needed. */
  long lowWatermark() {
    return Math.min(safeCollected, heldFrom);
  }

  /** Messages that are known to wait. */
  long waiting() {
    lock.lock();
    try {
      return due.waiting();
    } finally {
      lock.unlock();
    }
  }

  /** Returns those among them that were published before a sequence. */
  long waitingBelow(long sequence) {
    lock.lock();
    try {
      return due.waitingBelow(sequence);
    } finally {
      lock.unlock();
    }
  }

  /** Bytes of memory for the messages that wait. */
  long heapBytes() {
    lock.lock();
    try {
      return due.heapBytes();
    } finally {
      lock.unlock();
    }
  }

  /** Lets go of a block that leaves the log. */
  void leave(int block) {
    lock.lock();
    try {
      walk.leave(block);
      due.leave(block);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    lock.lock();
    try {
      walk.close();
      due.close();
      store.close();
    } finally {
      lock.unlock();
    }
  }
}
