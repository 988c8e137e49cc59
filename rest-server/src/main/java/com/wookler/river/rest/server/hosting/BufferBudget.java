package com.wookler.river.rest.server.hosting;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.TimeSource;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Limits the memory that bodies of requests and responses hold together. At the limit, the shares
 * without progress for the longest time are evicted, among those that hold as much as the others or
 * more: a body of which no byte arrives, a response that is not read. A client that sends and reads
 * promptly is therefore served while others hold all the memory, and no number of clients makes the
 * server hold more, except for what evicted shares have not released yet.
 *
 * <p>Rejected: reserving a body's declared length when it begins, because a header of 100 bytes
 * could take all the memory; and only pausing the reading, which deadlocks when no request has
 * enough memory to finish.
 *
 * <p>Thread-safe.
 */
public final class BufferBudget {
  private static final int RETRY_SECONDS = 1;
  private static final int CONCURRENT_ANSWERS = 16; // of the largest size at the same time
  private static final int SMALL_SHARE_DIVISOR = 8; // of the mean
  private static final int SLACK =
      16; // frees this part more than is missing, so that evictions are rare

  private final long limit;
  private final TimeSource time;
  private final AtomicLong used = new AtomicLong();
  private final AtomicLong pinnedBytes = new AtomicLong(); // the part of it that cannot be evicted
  private final LongAdder evictions = new LongAdder();
  private final Set<Share> evictable = ConcurrentHashMap.newKeySet();
  private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();
  private final ReentrantLock lock = new ReentrantLock();

  /** What evicted shares still hold, because their event loops have not released it yet. */
  @GuardedBy("lock")
  private final Map<Share, Long> releasing = new HashMap<>();

  /** The sum of {@link #releasing}. */
  @GuardedBy("lock")
  private long releasingBytes;

  /** The result of a request for more memory. */
  public enum Reservation {
    /** The memory is available. */
    GRANTED,
    /**
     * The memory will be available in a moment, because other shares are evicted: see {@link
     * #whenAvailable}.
     */
    PENDING,
    /** There is no memory, and nothing else to evict. */
    DENIED
  }

  /** The state of a share when shares to evict are selected. */
  private record Candidate(Share share, long bytes, long progress) {}

  BufferBudget(long limit, TimeSource time) {
    this.limit = limit;
    this.time = time;
  }

  /** Returns the number of bytes held. */
  public long used() {
    return used.get();
  }

  /** Returns the number of evictions. */
  public long evictions() {
    return evictions.sum();
  }

  /** Returns whether memory is available. */
  public boolean hasCapacity() {
    return used.get() <= limit;
  }

  /** Returns the size at which a response ends, so that several fit into memory. */
  public long answerBytes() {
    return Math.min(Poll.MAX_BYTES, Math.max(1, limit / CONCURRENT_ANSWERS));
  }

  /** Returns the error for a request for which there is no memory. */
  public RequestException full() {
    return RequestException.later(
        RequestException.Reason.UNAVAILABLE,
        "requests and responses hold "
            + limit
            + " bytes, as many as server.max.buffered.bytes allows; try again",
        RETRY_SECONDS);
  }

  /**
   * Runs an operation while a number of bytes is reserved for it.
   *
   * @throws RequestException there is no memory for them
   */
  public <T> T holding(long bytes, Supplier<T> work) {
    Share share = reserve(bytes);
    try {
      return work.get();
    } finally {
      share.close();
    }
  }

  /**
   * Reserves a share that cannot be evicted. All such shares together hold at most half of the
   * memory.
   *
   * @throws RequestException there is no memory
   */
  public Share reserve(long bytes) {
    Share share = share(() -> {});
    if (pinnedBytes.get() + bytes > limit / 2 || share.resize(bytes) == Reservation.DENIED) {
      share.close();
      throw full();
    }
    share.keep(bytes);
    return share;
  }

  /** Creates a share of 0 bytes. Any thread may call {@code evict}, once. */
  public Share share(Runnable evict) {
    return new Share(evict);
  }

  /** Runs a task, on any thread, when memory is available again; at once if it is. */
  public void whenAvailable(Runnable then) {
    waiting.add(then);
    if (used.get() > limit) {
      var unused = evictShares(null);
    }
    notifyWaiting();
  }

  private void notifyWaiting() {
    while (used.get() <= limit) {
      Runnable next = waiting.poll();
      if (next == null) {
        return;
      }
      next.run();
    }
  }

  private void release(long bytes) {
    used.addAndGet(-bytes);
    if (!waiting.isEmpty()) {
      notifyWaiting();
    }
  }

  /**
   * Evicts the shares without progress for the longest time, until the rest is within the limit.
   */
  private Reservation evictShares(@Nullable Share requester) {
    lock.lock();
    try {
      if (used.get() - releasingBytes <= limit) {
        return Reservation.PENDING;
      }
      for (Candidate each : candidates(requester)) {
        if (used.get() - releasingBytes <= limit - limit / SLACK) {
          break;
        }
        each.share.evicted = true;
        if (evictable.remove(each.share)) {
          long bytes = each.share.bytes; // it may have changed meanwhile
          releasing.put(each.share, bytes);
          releasingBytes += bytes;
          evictions.increment();
          each.share.evict.run();
        }
      }
      return used.get() - releasingBytes <= limit ? Reservation.PENDING : Reservation.DENIED;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns the shares that may be evicted, in this order. Those that hold less than the mean come
   * later, and those that hold much less last: evicting them frees little, and a small body may
   * only be waiting for its event loop.
   */
  private List<Candidate> candidates(@Nullable Share requester) {
    List<Candidate> all =
        evictable.stream()
            .filter(share -> share != requester)
            .map(share -> new Candidate(share, share.bytes, share.progress))
            .toList();
    long mean = all.stream().mapToLong(Candidate::bytes).sum() / Math.max(1, all.size());
    return all.stream()
        .sorted(
            Comparator.comparing((Candidate each) -> each.bytes < mean)
                .thenComparing(each -> each.bytes < mean / SMALL_SHARE_DIVISOR)
                .thenComparing((one, other) -> Long.signum(one.progress - other.progress)))
        .toList();
  }

  /** Updates how much an evicted share is about to release. */
  private void resizedAfterEviction(Share share, long more) {
    lock.lock();
    try {
      if (releasing.computeIfPresent(share, (same, bytes) -> bytes + more) != null) {
        releasingBytes += more;
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Records that an evicted share has been released. Called after the release; otherwise others
   * would be evicted for memory that is being released already.
   */
  private void released(Share share) {
    boolean overLimit;
    lock.lock();
    try {
      Long bytes = releasing.remove(share);
      releasingBytes -= bytes == null ? 0 : bytes;
      overLimit = used.get() - releasingBytes > limit;
    } finally {
      lock.unlock();
    }
    if (overLimit && !waiting.isEmpty()) {
      var unused = evictShares(null);
    }
  }

  /** The memory that one body, response or stream holds. Used by one thread at a time. */
  public final class Share {
    private final Runnable evict;

    private boolean registered; // as one that can be evicted
    private boolean pinned; // cannot be evicted any more
    private boolean closed;

    /** Volatile, as the next field: read by threads that select shares to evict. */
    private volatile long bytes;

    private volatile long progress = time.nanoTime();

    /**
     * Volatile: set by the evicting thread, before it removes the share from those that can be
     * evicted.
     */
    private volatile boolean evicted;

    private Share(Runnable evict) {
      this.evict = evict;
    }

    /**
     * Holds this many bytes from now on, even if no memory is available, and may be evicted;
     * without effect once it is closed.
     */
    public Reservation resize(long to) {
      if (closed) {
        return Reservation.GRANTED;
      }
      long more = to - bytes;
      bytes = to;
      progress = time.nanoTime();
      if (!registered) {
        registered = true;
        evictable.add(this);
      }
      if (evicted) {
        resizedAfterEviction(this, more);
      }
      if (more <= 0) {
        release(-more);
        return Reservation.GRANTED;
      }
      return used.addAndGet(more) <= limit ? Reservation.GRANTED : evictShares(this);
    }

    /**
     * Holds this many bytes, not more than before, and cannot be evicted any more; without effect
     * once it is closed.
     */
    public void keep(long to) {
      if (closed) {
        return;
      }
      evictable.remove(this);
      long less = bytes - to;
      pinnedBytes.addAndGet(pinned ? -less : to);
      pinned = true;
      bytes = to;
      release(less);
      if (evicted) {
        released(this); // too late: its body is complete
      }
    }

    /** Releases the memory, for good. */
    public void close() {
      closed = true;
      evictable.remove(this);
      long less = bytes;
      if (pinned) {
        pinnedBytes.addAndGet(-less);
      }
      bytes = 0;
      release(less);
      if (evicted) {
        released(this);
      }
    }
  }
}
