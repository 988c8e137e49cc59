package com.wookler.river.core.delay;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.MonitoredThread;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.core.message.QueueFailedException;
import com.wookler.river.core.message.QueueFullException;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Delayed delivery of a queue. Until the queue has its first delayed message nothing is there but
 * this object; then files, and a thread that waits for the next message to be due.
 *
 * <p>Thread-safe.
 */
public final class Delays implements AutoCloseable {
  /** The directory of its files, within the queue's. */
  public static final String DIRECTORY = "delayed";

  private static final Logger LOG = LoggerFactory.getLogger(Delays.class);
  private static final long RETRY_NANOS = Duration.ofMillis(100).toNanos();
  private static final long LATER_NANOS = Duration.ofSeconds(1).toNanos();

  private final DelayContext context;
  private final DelayLimits limits;
  private final Executor flusher;

  private volatile @Nullable Timers timers; // set once, under the monitor

  private volatile @Nullable MonitoredThread thread; // likewise

  @GuardedBy("this")
  private boolean closed;

  private volatile boolean stopped;
  private volatile boolean signalled;

  /**
   * Opens what earlier runs have left.
   *
   * @param flusher forces; the first delayed message waits for it
   * @throws RiverException the files cannot be read, or a newer River wrote them
   */
  public static Delays open(DelayContext context, Executor flusher) {
    return open(context, flusher, DelayLimits.DEFAULT);
  }

  static Delays open(DelayContext context, Executor flusher, DelayLimits limits) {
    Delays delays = new Delays(context, flusher, limits);
    try {
      if (StoreOpening.exists(context.directory())) {
        delays.timers = new Timers(context, limits);
      }
    } catch (IOException e) {
      throw delays.unreadable(e);
    }
    return delays;
  }

  private Delays(DelayContext context, Executor flusher, DelayLimits limits) {
    this.context = context;
    this.flusher = flusher;
    this.limits = limits;
  }

  private RiverException unreadable(IOException e) {
    return new RiverException(
        "queue " + context.queue() + ": cannot use " + context.directory() + ": " + e, e);
  }

  /** Begins to deliver; when the queue can be published to. */
  public synchronized void start() {
    Timers open = timers;
    if (open != null && thread == null && !closed) {
      MonitoredThread started =
          new MonitoredThread("RIVER-timer-" + context.queue(), () -> run(open));
      thread = started;
      started.start();
    }
  }

  /**
   * Publishes something with a delayed message in it.
   *
   * @throws RiverException there is no place for delayed messages; nothing was published
   */
  public <T> T publishing(Supplier<T> publish) {
    Timers open = timers;
    if (open == null) {
      open = first();
    }
    open.entering();
    try {
      return publish.get();
    } finally {
      open.left();
      wake();
    }
  }

  private synchronized Timers first() {
    Timers open = timers;
    if (open != null) {
      return open;
    }
    if (closed) {
      throw new QueueClosedException("queue " + context.queue() + " is closed");
    }
    try { // on a thread that nobody interrupts, which would close the files
      open = CompletableFuture.supplyAsync(this::create, flusher).join();
    } catch (RejectedExecutionException e) {
      throw new QueueClosedException("queue " + context.queue() + " is closed", e);
    } catch (CompletionException e) {
      throw e.getCause() instanceof RiverException known
          ? known
          : new RiverException("queue " + context.queue() + ": cannot delay messages", e);
    }
    timers = open;
    start();
    return open;
  }

  private Timers create() {
    try {
      StoreOpening.create(context, context.log().nextSequence());
      return new Timers(context, limits);
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  private void wake() {
    signalled = true;
    LockSupport.unpark(thread);
  }

  private void run(Timers open) {
    while (!stopped) {
      signalled = false;
      long wait = step(open);
      if (wait > 0 && !signalled && !stopped) {
        context.time().park(this, wait);
      }
    }
  }

  private long step(Timers open) {
    try {
      return open.step();
    } catch (QueueFullException e) {
      return RETRY_NANOS; // the disk; the log has said so
    } catch (QueueClosedException | QueueFailedException e) {
      return Long.MAX_VALUE;
    } catch (RuntimeException | Error e) { // a full heap too: there is no other thread for it
      LOG.error("Queue {}: delayed messages wait; trying again", context.queue(), e);
      return LATER_NANOS;
    }
  }

  /** Whether there is something to {@link #flush}. */
  public boolean isDirty() {
    Timers open = timers;
    return open != null && open.isDirty();
  }

  /** Notes what a flush is to write; on the flusher, before the log is forced. */
  public void capture() {
    Timers open = timers;
    if (open != null) {
      open.capture();
    }
  }

  /**
   * Writes that to the device; on the flusher, after the log was forced. Tried again if it fails.
   */
  public void flush() {
    Timers open = timers;
    if (open != null) {
      open.flush();
      wake();
    }
  }

  /** Instead of {@link #flush}, where the log could not be forced. */
  public void postpone() {
    Timers open = timers;
    if (open != null) {
      open.postpone();
    }
  }

  /** The lowest sequence of the log that is still needed; the largest number if none is. */
  public long floor() {
    Timers open = timers;
    return open == null ? Long.MAX_VALUE : open.floor();
  }

  /** Messages that wait for their time, those aside that were published just now. */
  public long waiting() {
    Timers open = timers;
    return open == null ? 0 : open.waiting();
  }

  /** Bytes of memory for those that wait; for tests. */
  public long heapBytes() {
    Timers open = timers;
    return open == null ? 0 : open.heapBytes();
  }

  /** Lets go of a block that leaves the log. */
  public void leave(int block) {
    Timers open = timers;
    if (open != null) {
      open.leave(block);
    }
  }

  /** Ends delivering; what is due waits. Returns when nothing is under way. */
  public void stop() {
    MonitoredThread running;
    synchronized (this) {
      closed = true;
      running = thread;
    }
    stopped = true;
    wake();
    if (running != null) {
      join(running);
    }
  }

  private static void join(Thread ending) {
    boolean interrupted = false;
    while (ending.isAlive()) {
      try {
        ending.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Closes the files; after {@link #stop}, when nothing is forced any more. */
  @Override
  public void close() {
    Timers open = timers;
    if (open != null) {
      open.close();
    }
  }
}
