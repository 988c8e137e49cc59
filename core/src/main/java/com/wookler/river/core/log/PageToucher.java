package com.wookler.river.core.log;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Touches the pages that the appender comes to next, so that their faults are met by a background
 * thread and not by publishers, under the append lock.
 *
 * <p>A page's first write fault costs about as much as appending five messages of 100 bytes.
 * Nothing is touched in the first bytes of a block: a quiet queue owns no disk and does no work
 * that it does not need. Being late costs nothing but the fault.
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

  private long wanted; // the offset at which to ask again; guarded by BlockLog's append lock
  private long asked; // the offset behind what was asked for; likewise

  @GuardedBy("touching")
  private boolean ended;

  PageToucher(ChronicleStore store, Executor worker) {
    this.store = store;
    this.worker = worker;
  }

  /** Another block is the active one, and has this many bytes. */
  void started(long bytes) {
    appended.setOpaque(bytes);
    wanted = Math.max(QUIET_BYTES, bytes);
    asked = wanted;
  }

  /** The active block has grown to this many bytes. */
  void grown(long bytes) {
    appended.setOpaque(bytes);
    if (bytes >= wanted) {
      ask(bytes);
    }
  }

  private void ask(long bytes) {
    long from = Math.max(bytes, asked);
    asked = bytes + AHEAD_BYTES;
    wanted = asked - STEP_BYTES / 2;
    ChronicleStore.Pages pages = store.pages(from, asked);
    if (pages == null) {
      return;
    }
    boolean given = false;
    try {
      worker.execute(() -> touch(pages));
      given = true;
    } finally {
      if (!given) {
        pages.close();
      }
    }
  }

  private void touch(ChronicleStore.Pages pages) {
    try (pages) {
      synchronized (touching) {
        if (!ended) {
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
