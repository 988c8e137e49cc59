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
 * Limits the memory that bodies of requests and answers hold together. When it is used up, the
 * shares that made no progress for the longest time are evicted, of those that hold as much as the
 * others or more: a body of which no byte came, an answer that is not read. A client that sends and
 * reads at once is therefore served while others hold all the memory, and no number of clients
 * makes the server hold more, but for what evicted shares have not given back yet.
 *
 * <p>Rejected: reserving a body's declared length when it begins, which a header of 100 bytes takes
 * from everybody else; and only pausing the reading, which ends when nobody has room to finish.
 *
 * <p>Thread-safe.
 */
public final class BufferBudget {
  private static final int RETRY_SECONDS = 1;
  private static final int ANSWERS = 16; // of the greatest size, beside each other
  private static final int LITTLE = 8; // times less than the mean
  private static final int SLACK = 16; // frees a part more than is missing, to seldom have to

  private final long limit;
  private final TimeSource time;
  private final AtomicLong used = new AtomicLong();
  private final AtomicLong kept = new AtomicLong(); // of it, what cannot be evicted
  private final LongAdder evictions = new LongAdder();
  private final Set<Share> evictable = ConcurrentHashMap.newKeySet();
  private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();
  private final ReentrantLock lock = new ReentrantLock();

  /** What evicted shares hold still, because their event loops have not released it yet. */
  @GuardedBy("lock")
  private final Map<Share, Long> leaving = new HashMap<>();

  /** The sum of {@link #leaving}. */
  @GuardedBy("lock")
  private long leavingBytes;

  /** The answer to a wish for more memory. */
  public enum Room {
    /** There was room. */
    FREE,
    /** There will be room in a moment, because others are evicted: see {@link #whenRoom}. */
    SOON,
    /** There is none, and nothing else to evict. */
    NONE
  }

  /** A share as it is while looking for those to evict. */
  private record Candidate(Share share, long bytes, long progress) {}

  BufferBudget(long limit, TimeSource time) {
    this.limit = limit;
    this.time = time;
  }

  /** Returns how many bytes are held. */
  public long used() {
    return used.get();
  }

  /** Returns how many shares were evicted. */
  public long evictions() {
    return evictions.sum();
  }

  /** Returns whether there is any room. */
  public boolean hasRoom() {
    return used.get() <= limit;
  }

  /** Returns the size at which one answer ends, so that some fit beside each other. */
  public long answerBytes() {
    return Math.min(Poll.MOST_BYTES, Math.max(1, limit / ANSWERS));
  }

  /** Returns the problem of a request for which there is no room. */
  public RequestException full() {
    return RequestException.later(
        RequestException.Reason.UNAVAILABLE,
        "requests and answers hold "
            + limit
            + " bytes, as many as server.max.buffered.bytes allows; try again",
        RETRY_SECONDS);
  }

  /**
   * Does what needs so many bytes for a while.
   *
   * @throws RequestException there is no room for them
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
   * Returns a share of what nobody has asked to hold for long, and so leaves half of the memory.
   *
   * @throws RequestException there is no room
   */
  public Share reserve(long bytes) {
    Share share = share(() -> {});
    if (kept.get() + bytes > limit / 2 || share.resize(bytes) == Room.NONE) {
      share.close();
      throw full();
    }
    share.keep(bytes);
    return share;
  }

  /** Returns a share of 0 bytes that {@code evict} ends, which any thread calls, and once. */
  public Share share(Runnable evict) {
    return new Share(evict);
  }

  /** Runs this, on any thread, when there is room again; at once if there is. */
  public void whenRoom(Runnable then) {
    waiting.add(then);
    if (used.get() > limit) {
      var unused = makeRoom(null);
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

  /** Evicts the shares without progress for the longest time, until what is left is allowed. */
  private Room makeRoom(@Nullable Share asking) {
    lock.lock();
    try {
      if (used.get() - leavingBytes <= limit) {
        return Room.SOON;
      }
      for (Candidate each : candidates(asking)) {
        if (used.get() - leavingBytes <= limit - limit / SLACK) {
          break;
        }
        each.share.evicted = true;
        if (evictable.remove(each.share)) {
          long bytes = each.share.bytes; // it may have grown meanwhile
          leaving.put(each.share, bytes);
          leavingBytes += bytes;
          evictions.increment();
          each.share.evict.run();
        }
      }
      return used.get() - leavingBytes <= limit ? Room.SOON : Room.NONE;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns what may be evicted, in that order. Those that hold less than the others come last, and
   * those that hold much less behind them: that frees little, and a small body may only wait until
   * its event loop has read large ones.
   */
  private List<Candidate> candidates(@Nullable Share asking) {
    List<Candidate> all =
        evictable.stream()
            .filter(share -> share != asking)
            .map(share -> new Candidate(share, share.bytes, share.progress))
            .toList();
    long mean = all.stream().mapToLong(Candidate::bytes).sum() / Math.max(1, all.size());
    return all.stream()
        .sorted(
            Comparator.comparing((Candidate each) -> each.bytes < mean)
                .thenComparing(each -> each.bytes < mean / LITTLE)
                .thenComparing((one, other) -> Long.signum(one.progress - other.progress)))
        .toList();
  }

  /** What is about to be released is more, or less, than it was. */
  private void grew(Share share, long more) {
    lock.lock();
    try {
      if (leaving.computeIfPresent(share, (same, bytes) -> bytes + more) != null) {
        leavingBytes += more;
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Called behind the release, before which others would be evicted for what is leaving already.
   * Those who were told in between that there will be room see it here.
   */
  private void left(Share share) {
    boolean isMissing;
    lock.lock();
    try {
      Long bytes = leaving.remove(share);
      leavingBytes -= bytes == null ? 0 : bytes;
      isMissing = used.get() - leavingBytes > limit;
    } finally {
      lock.unlock();
    }
    if (isMissing && !waiting.isEmpty()) {
      var unused = makeRoom(null);
    }
  }

  /** What one body, answer or stream holds. Used by one thread at a time. */
  public final class Share {
    private final Runnable evict;

    private boolean known; // to those who look for shares to evict
    private boolean keeps; // is not evicted any more

    /** Volatile, as the next: read by who looks for shares to evict. */
    private volatile long bytes;

    private volatile long progress = time.nanoTime();

    /** Volatile: set by who evicts, before the share is taken out of those that can be. */
    private volatile boolean evicted;

    private Share(Runnable evict) {
      this.evict = evict;
    }

    /** Holds this many bytes from now on, also where there is no room, and may be evicted. */
    public Room resize(long to) {
      long more = to - bytes;
      bytes = to;
      progress = time.nanoTime();
      if (!known) {
        known = true;
        evictable.add(this);
      }
      if (evicted) {
        grew(this, more);
      }
      if (more <= 0) {
        release(-more);
        return Room.FREE;
      }
      return used.addAndGet(more) <= limit ? Room.FREE : makeRoom(this);
    }

    /** Holds this many bytes, not more than before, and is not evicted any more. */
    public void keep(long to) {
      evictable.remove(this);
      long less = bytes - to;
      kept.addAndGet(keeps ? -less : to);
      keeps = true;
      bytes = to;
      release(less);
      if (evicted) {
        left(this); // too late: its body is whole
      }
    }

    /** Holds nothing any more. */
    public void close() {
      evictable.remove(this);
      long less = bytes;
      if (keeps) {
        kept.addAndGet(-less);
      }
      bytes = 0;
      release(less);
      if (evicted) {
        left(this);
      }
    }
  }
}
