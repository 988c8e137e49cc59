package com.wookler.river.core.log;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.core.log.chronicle.BlockStore;
import com.wookler.river.core.log.chronicle.MappedPages;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Touches the pages that the appender comes to next, so that a background thread meets their faults
 * and not a publisher under the append lock. A page's first write fault costs about as much as
 * appending five messages of 100 bytes.
 *
 * <p>Not touched are the first bytes of a block, so that a quiet queue does no needless work, and
 * what has no space yet ({@link BlockSpace}): on a full disk that ends the process. {@link
 * #started} and {@link #grown} run under the append lock, the touching on a worker.
 */
final class PageToucher {
  private static final long QUIET_BYTES = 256 << 10;
  private static final long STEP_BYTES = 1 << 20;
  private static final long LEAST_BYTES = 128 << 10; // between two questions
  private static final long AHEAD_BYTES = STEP_BYTES + STEP_BYTES / 2;
  private static final Logger LOG = LoggerFactory.getLogger(PageToucher.class);

  private final BlockStore store;
  private final Executor worker;
  private final Object touching = new Object();
  private final AtomicLong appended = new AtomicLong(); // written under BlockLog's append lock
  private final AtomicInteger blocks = new AtomicInteger(); // started; counted under that lock
  private volatile boolean asked; // whether a task waits; set under the append lock
  private long wanted; // the offset at which to ask again; guarded by BlockLog's append lock
  private long touchedTo; // the offset after what was asked for; guarded by BlockLog's append lock

  @GuardedBy("touching")
  private boolean ended;

  PageToucher(BlockStore store, Executor worker) {
    this.store = store;
    this.worker = worker;
  }

  /** Takes another block as the active one, with this many bytes. */
  void started(long bytes) {
    appended.setOpaque(bytes);
    blocks.incrementAndGet();
    wanted = Math.max(QUIET_BYTES, bytes);
    touchedTo = wanted;
  }

  /** Notes that the active block has grown to this many bytes, and has space up to the limit. */
  void grown(long bytes, long limit) {
    appended.setOpaque(bytes);
    if (bytes >= wanted && !asked) {
      ask(bytes, limit);
    }
  }

  private void ask(long bytes, long limit) {
    long from = Math.max(bytes, touchedTo);
    touchedTo = Math.max(from, Math.min(bytes + AHEAD_BYTES, limit));
    wanted = Math.max(touchedTo - STEP_BYTES / 2, bytes + LEAST_BYTES);
    MappedPages pages = from < touchedTo ? store.pages(from, touchedTo) : null;
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

  private void touch(MappedPages pages, int at) {
    asked = false;
    try (pages) {
      synchronized (touching) {
        if (!ended && at == blocks.get()) {
          pages.touch(appended::getOpaque);
        }
      }
    } catch (InternalError e) { // the appender will meet it too, and fail the log
      LOG.debug("Pages ahead of the appender cannot be written", e);
    }
  }

  /** Stops: when this returns nothing is touched any more, and the file may be cut. */
  void end() {
    synchronized (touching) {
      ended = true;
    }
  }
}
