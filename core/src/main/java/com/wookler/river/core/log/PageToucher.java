package com.wookler.river.core.log;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Touches the pages that the appender comes to next, so that their faults are met by a background
 * thread and not by publishers, under the append lock.
 *
 * <p>A page's first write fault costs about as much as appending five messages of 100 bytes.
 * Nothing is touched in the first bytes of a block: a quiet queue does no work that it does not
 * need. Nor is anything touched that was not made ahead ({@link BlockMaker}): a page for which
 * there is no space on the disk ends the process. Being late costs nothing but the fault.
 *
 * <p>{@link #started} and {@link #grown} run under the append lock, the touching on a background
 * worker.
 */
final class PageToucher {
  private static final long QUIET_BYTES = 256 << 10;
  private static final long STEP_BYTES = 1 << 20;
  private static final long AHEAD_BYTES = STEP_BYTES + STEP_BYTES / 2;

  private final ChronicleStore store;
  private final Executor worker;
  private final Object touching = new Object();
  private final AtomicLong appended = new AtomicLong(); // written under BlockLog's append lock

  private final AtomicInteger blocks = new AtomicInteger(); // started; counted under that lock
  private volatile boolean asked; // whether a task waits; set under the append lock
  private long wanted; // the offset at which to ask again; guarded by BlockLog's append lock
  private long touchedTo; // the offset behind what was asked for; likewise
  private long limit; // the offset behind what was made ahead; likewise

  @GuardedBy("touching")
  private boolean ended;

  PageToucher(ChronicleStore store, Executor worker) {
    this.store = store;
    this.worker = worker;
  }

  /**
   * Another block is the active one.
   *
   * @param bytes that it has
   * @param made bytes of its file that were made ahead
   */
  void started(long bytes, long made) {
    appended.setOpaque(bytes);
    blocks.incrementAndGet();
    wanted = Math.max(QUIET_BYTES, bytes);
    touchedTo = wanted;
    limit = made;
  }

  /** The active block has grown to this many bytes. */
  void grown(long bytes) {
    appended.setOpaque(bytes);
    if (bytes >= wanted && !asked) {
      ask(bytes);
    }
  }

  private void ask(long bytes) {
    long from = Math.max(bytes, touchedTo);
    touchedTo = Math.min(bytes + AHEAD_BYTES, limit);
    wanted = bytes + AHEAD_BYTES - STEP_BYTES / 2;
    ChronicleStore.Pages pages = from < touchedTo ? store.pages(from, touchedTo) : null;
    if (pages == null) {
      return;
    }
    int at = blocks.get();
    asked = true;
    boolean given = false;
    try {
      worker.execute(() -> touch(pages, at));
      given = true;
    } finally {
      if (!given) {
        asked = false;
        pages.close();
      }
    }
  }

  private void touch(ChronicleStore.Pages pages, int at) {
    asked = false;
    try (pages) {
      synchronized (touching) {
        if (!ended && at == blocks.get()) {
          pages.touch(appended::getOpaque);
        }
      }
    }
  }

  /** When this returns nothing is touched any more: the file may be cut. */
  void end() {
    synchronized (touching) {
      ended = true;
    }
  }
}
