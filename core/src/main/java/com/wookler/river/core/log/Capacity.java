package com.wookler.river.core.log;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.TimeSource;
import java.util.Arrays;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * How far a log may grow under its {@link CapacityLimits}. Thread-safe.
 *
 * <p><b>Bounds.</b> An append compares the log's end with two numbers, one in sequences and one in
 * bytes, and asks no subscriber. When one is reached, both are computed from the lowest low
 * watermark; so a queue that is far from full pays two comparisons.
 *
 * <p><b>Bytes</b> count from the oldest message at the opening. A sample of how many bytes are
 * below a sequence is taken each 256th of the limit, and one for each block that the opening found.
 * Between two samples bytes count evenly, so they are known to within that, and exactly where
 * messages are larger. When there are too many samples, every second one is dropped.
 *
 * <p><b>Discarding.</b> With limits that discard nothing is refused: an append sets the sequence
 * below which everything is to be discarded, and each subscriber skips to it at its next poll.
 */
public final class Capacity {
  /** The result of an append for which there is no capacity. */
  public static final long NONE = -1;

  private static final int SAMPLES = 4_096;
  private static final int SAMPLES_PER_LIMIT = 256;

  private final ReentrantLock appendLock;
  private final Blocks blocks;
  private final LongSupplier end;
  private final Queue<Waiting> waiting = new ConcurrentLinkedQueue<>();
  private volatile boolean awaited; // whether a publisher waits; set after it joined the queue
  private volatile CapacityLimits capacity = CapacityLimits.UNLIMITED; // set under appendLock
  private volatile long discardBelow; // written under the append lock, read by subscribers

  @GuardedBy("appendLock")
  private long endBound = Long.MAX_VALUE;

  @GuardedBy("appendLock")
  private long byteBound = Long.MAX_VALUE;

  @GuardedBy("appendLock")
  private boolean refuses;

  @GuardedBy("appendLock")
  private boolean countsBytes;

  @GuardedBy("appendLock")
  private long written;

  @GuardedBy("appendLock")
  private long[] sequences = {}; // of the samples

  @GuardedBy("appendLock")
  private long[] below = {}; // bytes of all messages before a sample

  @GuardedBy("appendLock")
  private int samples;

  Capacity(ReentrantLock appendLock, Blocks blocks, LongSupplier end) {
    this.appendLock = appendLock;
    this.blocks = blocks;
    this.end = end;
  }

  /** Sets the limits. Bytes that were not counted so far are estimated by blocks. */
  public void limit(CapacityLimits to) {
    appendLock.lock();
    try {
      boolean counted = countsBytes;
      capacity = to;
      countsBytes = to.bytes() != Long.MAX_VALUE;
      endBound = Long.MAX_VALUE;
      byteBound = Long.MAX_VALUE;
      if (countsBytes && !counted) {
        samples = 0;
        written = 0;
        sequences = new long[SAMPLES];
        below = new long[SAMPLES];
        for (Block block : blocks.all()) {
          sample(block.firstSequence());
          written += block.bytes();
        }
      }
      if (to.discards()) {
        discard(end.getAsLong());
      } else if (!to.isUnlimited()) {
        endBound = 0; // so that the first append has the bounds computed
      }
      if (refuses) {
        endBound = -1;
      }
    } finally {
      appendLock.unlock();
    }
  }

  /** Begins or ends to refuse every append: no publish is under way when this returns. */
  public void refuse(boolean all) {
    appendLock.lock();
    try {
      refuses = all;
      limit(capacity);
    } finally {
      appendLock.unlock();
    }
  }

  /** Returns whether what the calling thread wants to publish fits into the empty queue. */
  public boolean couldEverHold(PublishBuffer buffer) {
    CapacityLimits limits = capacity;
    return buffer.document().count() <= limits.messages()
        && buffer.document().length() <= limits.bytes();
  }

  /** Returns whether a document fits now, by the bounds that were computed last. */
  @SuppressWarnings("GuardedBy") // under the append lock: it is the log's own
  boolean admits(long endSequence, int bytes) {
    return endSequence <= endBound && written + bytes <= byteBound;
  }

  @SuppressWarnings("GuardedBy") // under the append lock: it is the log's own
  void appended(long firstSequence, long endSequence, int bytes) {
    if (countsBytes) {
      long stride = Math.max(1, capacity.bytes() / SAMPLES_PER_LIMIT);
      if (samples == 0 || written + bytes - below[samples - 1] >= stride) {
        sample(firstSequence);
      }
      written += bytes;
    }
    if (capacity.discards()) {
      discard(endSequence);
    }
  }

  /** Computes the bounds anew from the lowest low watermark of all subscribers. */
  public void free(long lowWatermark) {
    appendLock.lock();
    try {
      if (refuses || capacity.isUnlimited() || capacity.discards()) {
        return;
      }
      endBound = saturated(lowWatermark, capacity.messages());
      if (countsBytes) {
        byteBound = saturated(bytesBelow(lowWatermark, end.getAsLong()), capacity.bytes());
      }
    } finally {
      appendLock.unlock();
    }
  }

  /** Returns whether a tenth of each limit is free, going by the bounds that were computed last. */
  public boolean isRoomy() {
    appendLock.lock();
    try {
      return endBound - end.getAsLong() >= Math.max(1, capacity.messages() / 10)
          && byteBound - written >= Math.max(1, capacity.bytes() / 10);
    } finally {
      appendLock.unlock();
    }
  }

  /** Adds the calling thread to those that wait for capacity, until {@link #leave}. */
  public Waiting enter() {
    Waiting place = new Waiting(Thread.currentThread());
    waiting.add(place);
    awaited = true;
    return place;
  }

  /** Ends a wait; the next that waits looks whether there is capacity for it too. */
  public void leave(Waiting place) {
    waiting.remove(place);
    wakeFirst();
    if (waiting.isEmpty()) {
      awaited = false;
      awaited = !waiting.isEmpty(); // another may have joined meanwhile
    }
  }

  /**
   * Wakes the first publisher that waits. To be called after messages were completed, without the
   * subscriber's lock: a publisher looks under that lock, so either it sees what was completed or
   * this sees that it waits.
   */
  public void completed() {
    if (awaited) {
      wakeFirst();
    }
  }

  private void wakeFirst() {
    Waiting first = waiting.peek();
    if (first != null) {
      first.woken = true;
      LockSupport.unpark(first.thread);
    }
  }

  /** A publisher that waits for capacity. */
  public static final class Waiting {
    private final Thread thread;
    private volatile boolean woken; // set by the waker, cleared by the waiter before it looks

    private Waiting(Thread thread) {
      this.thread = thread;
    }

    /** Must be called before the thread looks for capacity. */
    public void looks() {
      woken = false;
    }

    /** Parks the thread until there may be capacity or the time has passed; may return early. */
    public void park(TimeSource time, long nanos) {
      if (!woken) {
        time.park(this, nanos);
      }
    }
  }

  /** Returns the sequence below which everything is to be discarded; 0 where nothing is. */
  public long discardBelow() {
    return discardBelow;
  }

  @GuardedBy("appendLock")
  private void discard(long end) {
    long first = Math.max(discardBelow, end - Math.min(end, capacity.messages()));
    if (countsBytes && written > capacity.bytes()) {
      first = Math.max(first, sequenceAbove(written - capacity.bytes(), end));
    }
    if (first != discardBelow) {
      discardBelow = first;
    }
  }

  @GuardedBy("appendLock")
  private void sample(long sequence) {
    if (samples == SAMPLES) {
      for (int i = 1; i < SAMPLES / 2; i++) {
        sequences[i] = sequences[2 * i];
        below[i] = below[2 * i];
      }
      samples = SAMPLES / 2;
    }
    if (samples > 0 && sequences[samples - 1] == sequence) {
      below[samples - 1] = written;
      return;
    }
    sequences[samples] = sequence;
    below[samples] = written;
    samples++;
  }

  @GuardedBy("appendLock")
  private long bytesBelow(long sequence, long end) {
    if (sequence >= end || samples == 0) {
      return written;
    }
    int found = Arrays.binarySearch(sequences, 0, samples, sequence);
    int at = found >= 0 ? found : -found - 2; // the last sample at or before it
    if (at < 0) {
      return below[0];
    }
    long from = sequences[at];
    long to = at + 1 < samples ? sequences[at + 1] : end;
    long bytes = (at + 1 < samples ? below[at + 1] : written) - below[at];
    return below[at] + (long) ((double) bytes * (sequence - from) / (to - from));
  }

  /** Returns the first sequence with at least this many bytes below it. */
  @GuardedBy("appendLock")
  private long sequenceAbove(long bytes, long end) {
    int found = Arrays.binarySearch(below, 0, samples, bytes);
    int at = found >= 0 ? found : -found - 2;
    if (at < 0) {
      return 0;
    }
    long from = sequences[at];
    long to = at + 1 < samples ? sequences[at + 1] : end;
    long all = (at + 1 < samples ? below[at + 1] : written) - below[at];
    double part = all == 0 ? 0 : (double) (bytes - below[at]) / all;
    return Math.min(to, from + (long) Math.ceil(part * (to - from)));
  }

  private static long saturated(long from, long more) {
    return more > Long.MAX_VALUE - from ? Long.MAX_VALUE : from + more;
  }
}
