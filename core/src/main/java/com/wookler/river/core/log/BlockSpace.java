package com.wookler.river.core.log;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The space of the active block: where the appender writes next there are always zeros that have
 * been written, and so have space on the disk.
 *
 * <p>A write fault on a page without space costs milliseconds, and on a full disk ends in an error
 * in unsafe memory that surfaces anywhere. So a worker writes zeros ahead, further the faster the
 * block grows. An append that is quicker than the worker writes them itself, or is refused.
 *
 * <p>All but the worker's part and {@link #end} run under the append lock. Zeros are written under
 * a monitor, from where they end: never over content.
 */
final class BlockSpace {
  static final long PAGE_BYTES = 4 << 10;
  static final long FIRST_BYTES = 256 << 10; // at the start: the store's index and some messages

  private static final Logger LOG = LoggerFactory.getLogger(BlockSpace.class);
  private static final long STEP_BYTES = 256 << 10;
  private static final long MARGIN_BYTES = 128 << 10; // for the store: 32 KB a page of its index
  private static final long LEAST_LEAD_BYTES = 64 << 10;
  private static final long MOST_LEAD_BYTES = 16 << 20;
  private static final int FASTER = 4;
  private static final long FAST_MICROS = 100_000;
  private static final long SLOW_MICROS = 10_000_000;

  private final Volume volume;
  private final Executor worker;
  private final long mostLead;
  private final Object extending = new Object();

  @GuardedBy("extending")
  private Path file;

  @GuardedBy("extending")
  private int starts;

  @GuardedBy("extending")
  private boolean ended;

  private volatile long allocated; // the offset after the zeros; written under the monitor

  // all guarded by BlockLog's append lock
  private long lead = LEAST_LEAD_BYTES; // zeros that a worker keeps ahead
  private long askAt; // the end of the block at which it is asked again
  private long askedMicros;
  private long limit; // the block is not expected to grow beyond it
  private int block; // counts with starts

  /** For the active block of an opened log; a block has at most these bytes and a document. */
  BlockSpace(Volume volume, Executor worker, long blockBytes, Block active) {
    this.volume = volume;
    this.worker = worker;
    this.mostLead = Math.max(LEAST_LEAD_BYTES, Math.min(MOST_LEAD_BYTES, blockBytes / FASTER));
    this.file = active.file();
  }

  /** Takes a block as the active one, written up to {@code zeros}, with the size expected of it. */
  void started(Block active, long zeros, long expected) {
    synchronized (extending) {
      file = active.file();
      block = ++starts;
      allocated = zeros & -PAGE_BYTES;
    }
    limit = expected;
    askAt = allocated - MARGIN_BYTES - lead / 2;
  }

  /** Returns the offset up to which the active block has space. */
  long allocated() {
    return allocated;
  }

  boolean has(Block active, int length) {
    return active.end() + length + MARGIN_BYTES <= allocated;
  }

  /** Gives the active block space for a document of this length, or throws a NoSpaceException. */
  void take(Block active, int length) throws IOException {
    long to = roundUp(active.end() + length + MARGIN_BYTES);
    synchronized (extending) {
      if (to > allocated) {
        extendByAStep(to);
      }
    }
  }

  @GuardedBy("extending")
  private void extendByAStep(long least) throws IOException {
    long step = Math.max(least, allocated + STEP_BYTES);
    try {
      extendTo(step);
    } catch (NoSpaceException e) {
      if (step == least) {
        throw e;
      }
      extendTo(least); // a document that fits is not refused for a step that does not
    }
  }

  /** Gives the active block more space than it has, or throws a NoSpaceException. */
  void takeMore() throws IOException {
    synchronized (extending) {
      extendTo(allocated + STEP_BYTES);
    }
  }

  void grown(Block active, long micros) {
    if (active.end() >= askAt) {
      ask(active.end(), micros);
    }
  }

  private void ask(long end, long micros) {
    long passed = micros - askedMicros;
    askedMicros = micros;
    if (passed < FAST_MICROS) {
      lead = Math.min(lead * FASTER, mostLead);
    } else if (passed > SLOW_MICROS) {
      lead = Math.max(lead / FASTER, LEAST_LEAD_BYTES);
    }
    askAt = end + lead / 2;
    long most = end < limit ? limit : Long.MAX_VALUE;
    long to = roundUp(Math.min(end + lead, most) + MARGIN_BYTES);
    if (to > allocated) {
      int asked = block;
      worker.execute(() -> extend(asked, to));
    }
  }

  private void extend(int asked, long to) {
    try {
      boolean more = true;
      while (more) {
        synchronized (extending) {
          more = !ended && asked == starts && allocated < to;
          if (more) {
            extendTo(Math.min(to, allocated + STEP_BYTES));
          }
        }
      }
    } catch (NoSpaceException e) {
      LOG.debug("No space ahead of the appender", e); // the publisher gets an exception
    } catch (IOException e) {
      LOG.warn("Cannot write ahead of the appender: {}", e.toString());
    }
  }

  @GuardedBy("extending")
  private void extendTo(long to) throws IOException {
    volume.allocate(file, allocated, to);
    allocated = to;
  }

  static long roundUp(long bytes) {
    return (bytes + PAGE_BYTES - 1) & -PAGE_BYTES;
  }

  /** Stops: when this returns no zeros are written any more, and the file may be cut. */
  void end() {
    synchronized (extending) {
      ended = true;
    }
  }
}
