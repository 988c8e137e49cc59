package com.wookler.river.core.delay;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.TimerClock;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.common.utils.DueHeap;
import com.wookler.river.core.log.BlockLog;
import com.wookler.river.core.log.LogReader;
import com.wookler.river.core.log.PublishBuffer;
import com.wookler.river.core.message.DocumentWriter;
import com.wookler.river.core.message.MessageTooLargeException;
import com.wookler.river.core.message.StoredMessage;
import com.wookler.river.core.message.Terms;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Collects the delayed messages of a queue, and appends them to the log again when they are due.
 *
 * <p><b>Collecting.</b> The timer's thread reads the log and remembers of each delayed message when
 * it is due, and its address. At each force of the queue, those that still wait go into the files
 * of {@link TimerStore}, and only then may their blocks leave the log. So a message that is due
 * before the force is never written twice, and the memory is bounded: when too many are remembered,
 * collecting waits for the files.
 *
 * <p><b>Delivering.</b> What is due is appended to the log again, as a re-enqueued copy, in one
 * order: by time, then by sequence. So one key says which messages are done: those up to it. A
 * message that is collected too late for its key gets the next one, and one that is damaged, and
 * not to be passed over, one a minute later, each time.
 *
 * <p><b>Crashes.</b> The state is written after the log was forced, and contains only what the log
 * had then. What happened since is in the log: messages are collected again from there, and the
 * copies that it has already are found. So a crash neither loses nor repeats a message, and a power
 * loss does to a copy what it does to any message.
 *
 * <p>All times are those of {@link TimerClock}. Thread-safe; appends to the log under its lock.
 */
final class Timers implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Timers.class);
  private static final int COPIES = 256; // in a document, at most
  private static final int COPY_BYTES = 256 << 10;
  private static final long STATE_STEP = 100_000; // messages of the log that an opening reads again
  private static final int MICRO = 1_000;
  // after which a flush that was put off may be asked for again
  private static final long AGAIN_NANOS = 1_000_000_000;
  private static final int FEW = 4; // a quarter left in memory: time to look into the files

  private final DelayContext context;
  private final DelayLimits limits;
  private final BlockLog log;
  private final ReentrantLock lock = new ReentrantLock(true); // a flush must get its turn
  private final AtomicBoolean asked = new AtomicBoolean(); // whether a flush was asked for

  private volatile boolean dirty; // whether a flush has something to write
  // blocks below this sequence may leave the log, even if the last state is lost
  private volatile long safeCollected; // written by the flusher
  private volatile long heldFrom = Long.MAX_VALUE; // written under the lock
  private boolean failing; // whether the last flush failed; confined to the flusher
  private volatile boolean putOff; // whether a flush is asked for again after a second
  private volatile long putOffAt; // written before putOff

  @GuardedBy("lock")
  private final NextDue due;

  @GuardedBy("lock")
  private int copies = COPIES; // in the next document

  private final TimerStore store;
  private final WaitingMessages messages;

  private final Collector collector; // guarded by the lock, but for what says otherwise

  private final TimerClock clock;
  private volatile TimerClock.Reading writtenAt; // time of the state; written by the flusher

  @GuardedBy("lock")
  private boolean doneInFiles; // whether a message of a file was, since the state was written

  /**
   * Whether delivering waits until the state is written, which says that damaged messages wait
   * under a later key. Otherwise an opening would find copies of messages after them and not know
   * that these are done.
   */
  @GuardedBy("lock")
  private boolean heldBack;

  private @Nullable Capture captured; // confined to the flusher

  /** The state when the force of the log began. */
  private record Capture(
      DueHeap waiting, long collected, long copied, Key done, boolean doneInFiles) {}

  Timers(DelayContext context, DelayLimits limits) throws IOException {
    this.context = context;
    this.limits = limits;
    this.log = context.log();
    StoreOpening.Opened opened = StoreOpening.open(context);
    NearIndex index = new NearIndex();
    this.messages = new WaitingMessages(context, lock, index);
    this.due = new NextDue(context, messages, index, opened.state());
    this.store = new TimerStore(context, limits, lock, index, new Lost(), opened);
    this.safeCollected = store.safeCollected();
    this.writtenAt = opened.state().clock();
    this.clock = new TimerClock(context.time(), writtenAt, opened.state().done().time());
    begin(opened);
    this.collector = new Collector(context, opened, clock, due);
  }

  /** Keeps what files have lost in memory until the next flush has written it to others. */
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
              due.add(time, sequence, NearIndex.ELSEWHERE);
              heldFrom = Math.min(heldFrom, sequence);
            });
        dirty = true;
      } finally {
        lock.unlock();
      }
    }

    @Override
    public long[] waiting() {
      lock.lock();
      try {
        return due.fresh.sequences();
      } finally {
        lock.unlock();
      }
    }
  }

  /** Counts what the log has a copy of as done: it is what would be due next. */
  @SuppressWarnings("GuardedBy") // the store asks under the lock
  private void begin(StoreOpening.Opened opened) throws IOException {
    Key before = opened.state().done();
    lock.lock();
    try {
      store.rebuild(opened.lost());
      store.begin(
          before,
          (time, sequence, address) -> {
            boolean is = opened.copied().contains(sequence);
            if (is) {
              due.doneUpTo(new Key(time, sequence));
            }
            return is;
          });
      due.opened();
      clock.showed(due.done().time());
    } catch (Throwable e) {
      due.close();
      store.close();
      throw e;
    } finally {
      lock.unlock();
    }
  }

  /** Returns what publishers of messages that may be delayed report to. */
  Collector collector() {
    return collector;
  }

  /**
   * Collects and delivers some messages; returns the nanoseconds until there is more to do, 0 if
   * there is now.
   */
  long step() {
    long again = untilAskedAgain();
    long until = clock.now(); // first: what was published before is collected
    boolean more = collect();
    long wait = deliver(until);
    return more ? 0 : Math.min(wait, again);
  }

  /** Permits another request for a flush a second after one was put off. */
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

  private boolean collect() {
    boolean more;
    boolean full;
    lock.lock();
    try {
      int before = due.fresh.size();
      more = collector.step(limits.fresh());
      full = more && due.fresh.size() >= limits.fresh();
      if (due.fresh.size() > before) {
        dirty = true;
      }
    } finally {
      lock.unlock();
    }
    if (full) {
      askForFlush();
    }
    return more && !full;
  }

  private void askForFlush() {
    if (asked.compareAndSet(false, true)) {
      context.queueParts().flushSoon();
    }
  }

  /** Copies what was due by a time; returns the nanoseconds until more is due. */
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

  /** Appends the copies; if that fails, all wait. One too large is split into single ones. */
  @GuardedBy("lock")
  private void append(PublishBuffer buffer, long now, long wall) {
    if (due.taken() == 0) {
      return;
    }
    int made = buffer.document().count();
    try {
      if (made > 0) {
        buffer.admit(true);
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
      buffer.admit(false);
      buffer.document().finish();
    }
    heldBack = due.waitOn();
    doneInFiles |= due.anyOfFiles() || heldBack;
    due.complete(now);
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

  /** Captures what a flush writes; on the flusher, before the log is forced. */
  void capture() {
    lock.lock();
    try {
      collector.passOver();
      dirty = false;
      due.index.capture();
      store.takeRebuilt(); // what was found before is among what waits
      captured =
          new Capture(
              due.fresh.sorted(),
              collector.collected(),
              collector.copied(),
              due.done(),
              doneInFiles);
    } catch (Throwable e) { // a full heap, perhaps
      putOff();
      throw e;
    } finally {
      lock.unlock();
    }
  }

  /** Drops what was captured, because the log was not forced; a later flush captures it again. */
  void postpone() {
    captured = null;
    putOff();
  }

  private void putOff() {
    dirty = true;
    asked.set(true); // no step asks meanwhile
    putOffAt = context.time().nanoTime();
    putOff = true;
  }

  /** Writes what was captured, after the log was forced. A failure is logged, and tried again. */
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
    } catch (IOException | RuntimeException | Error e) { // the log may be unreadable just now
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
    try (LogReader originals = log.reader();
        BucketReader files = new BucketReader(context.identity())) {
      store.write(all.waiting, messages.records(originals, files));
    }
    lock.lock();
    try {
      store.include(all.waiting, due.done());
      due.fresh.retain((time, sequence, address) -> !all.waiting.contains(time, sequence));
    } finally {
      lock.unlock();
    }
    store.maintain(all.done, this::doneNow);
    if (store.takeRebuilt()) { // it is in no file yet: the state before still names its old one
      putOff();
    } else if (store.isChanged()
        || all.doneInFiles
        || isOld(all.collected)
        || clock.isSetSince(writtenAt)) {
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
    return due.done();
  }

  private void forgetDoneInFiles(Key written) {
    lock.lock();
    try {
      boolean all = due.done().equals(written);
      doneInFiles &= !all;
      heldBack &= !all;
    } finally {
      lock.unlock();
    }
  }

  /** Returns whether the state is so old that an opening reads much, or that it keeps a block. */
  private boolean isOld(long now) {
    return now > safeCollected
        && (now - safeCollected >= STATE_STEP || log.sealedFrom(safeCollected).isPresent());
  }

  boolean isDirty() {
    return dirty || store.isChanged() || isOld(log.nextSequence()) || clock.isSetSince(writtenAt);
  }

  /** Returns the lowest sequence whose block delayed messages still need. */
  long lowWatermark() {
    return Math.min(safeCollected, heldFrom);
  }

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

  /** Passes the messages that wait in files to a sink; on the flusher. */
  void scan(Consumer<StoredMessage> sink) {
    Key done;
    lock.lock();
    try {
      done = due.done();
    } finally {
      lock.unlock();
    }
    try (BucketReader reader = new BucketReader(context.identity())) {
      store.scan(done, reader, sink);
    } catch (IOException e) {
      throw new RiverException("queue " + context.queue() + ": cannot read delayed messages", e);
    }
  }

  long heapBytes() {
    lock.lock();
    try {
      return due.heapBytes();
    } finally {
      lock.unlock();
    }
  }

  void leave(int block) {
    lock.lock();
    try {
      collector.leave(block);
      due.leave(block);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    lock.lock();
    try {
      collector.close();
      due.close();
      store.close();
    } finally {
      lock.unlock();
    }
  }
}
