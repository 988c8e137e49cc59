package com.wookler.river.common;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Group commit: forces for calls that wait for the device, such as publishes; one force serves all
 * that wait when it starts. Thread-safe.
 *
 * <p><b>Leader and followers.</b> Those that wait are in a stack. One leads: it takes the whole
 * stack, forces, and answers. While it forces, the next group gathers; when it ends, the newest of
 * that leads, or a call that comes first. So a single publisher forces by itself, and no thread has
 * to be woken for it.
 *
 * <p>A thread that waits may be interrupted, which would close a channel: what it cannot force
 * without one, the executor forces. So it does for futures, and for virtual threads: others would
 * wait until one of those is scheduled.
 */
public final class GroupCommit {
  private static final Logger LOG = LoggerFactory.getLogger(GroupCommit.class);

  private final Target target;
  private final @Nullable Runnable forceHere;
  private final WorkerPool.Serial executor;
  private final Completions completions = new Completions();
  private final AtomicReference<@Nullable Waiter> waiting = new AtomicReference<>();
  private final AtomicBoolean leading = new AtomicBoolean(); // whether a thread or a task leads
  private volatile boolean ended;

  /** Creates a group commit whose forces all run on the executor. */
  public GroupCommit(Target target, WorkerPool.Serial executor) {
    this(target, null, executor);
  }

  /**
   * Creates a group commit.
   *
   * @param forceHere forces as {@link Target#force} does, on a thread that may be interrupted: what
   *     it leaves, the executor forces; null if it would leave all
   */
  public GroupCommit(Target target, @Nullable Runnable forceHere, WorkerPool.Serial executor) {
    this.target = target;
    this.forceHere = forceHere;
    this.executor = executor;
  }

  /** What is forced: items written one after the other, each with a number. */
  public interface Target {
    /** Returns the number below which all is on the device. */
    long forcedEnd();

    /**
     * Forces what was written before this call, and moves {@link #forcedEnd} if the device took it;
     * throws nothing. Called on the executor only.
     */
    void force();

    /** Returns the error for those that {@link #forcedEnd} has not reached after a force. */
    RuntimeException notForced();
  }

  /** What was written and waits to be forced: all below {@code end}. */
  private abstract class Waiter {
    final long end;
    @Nullable Waiter next; // below it in the stack, later the next of the group

    Waiter(long end) {
      this.end = end;
    }

    /** Wakes the waiting call; neither blocks nor runs the user's code. */
    abstract void answer(boolean forced);

    /** Has the executor force for all that wait, if nothing leads. */
    void promote() {
      if (leading.compareAndSet(false, true)) {
        submit(null);
      }
    }
  }

  private final class Parked extends Waiter {
    private final Thread thread = Thread.currentThread();
    private final @Nullable Runnable force = Threads.isVirtual(thread) ? null : forceHere;
    private boolean forced; // written before answered
    private volatile boolean answered;

    Parked(long end) {
      super(end);
    }

    @Override
    void answer(boolean isForced) {
      forced = isForced;
      answered = true;
      LockSupport.unpark(thread);
    }

    @Override
    void promote() {
      if (force == null) {
        super.promote();
      } else {
        LockSupport.unpark(thread); // it may have its answer already
      }
    }

    boolean await() {
      boolean interrupted = false;
      push(this);
      if (force == null) {
        promote();
      }
      try {
        while (!answered) {
          if (force != null && leading.compareAndSet(false, true)) {
            lead(force);
          } else {
            LockSupport.park(this);
            interrupted |= Thread.interrupted(); // with the flag up it would not park
          }
        }
      } finally {
        if (interrupted) {
          thread.interrupt();
        }
      }
      return forced;
    }
  }

  private final class Promised extends Waiter implements Runnable {
    private final long sequence;
    private final CompletableFuture<Long> future = new CompletableFuture<>();
    private boolean forced; // written before it is published to other threads

    Promised(long sequence, long end) {
      super(end);
      this.sequence = sequence;
    }

    @Override
    void answer(boolean isForced) {
      forced = isForced;
      completions.add(this);
    }

    @Override
    public void run() {
      if (forced) {
        future.complete(sequence);
      } else {
        future.completeExceptionally(target.notForced());
      }
    }
  }

  /**
   * Returns when all below {@code end}, which the calling thread has written, is on the device,
   * else throws {@link Target#notForced}. Not interruptible: an interrupted thread finds its flag
   * set afterwards.
   */
  public void await(long end) {
    if (!new Parked(end).await()) {
      throw target.notForced();
    }
  }

  /**
   * Returns a future of the force, which completes with this sequence on the common pool; the
   * futures of one thread complete in the order of its calls.
   */
  public CompletableFuture<Long> future(long sequence, long end) {
    Promised waiter = new Promised(sequence, end);
    push(waiter);
    waiter.promote();
    return waiter.future;
  }

  private void push(Waiter waiter) {
    Waiter below;
    do {
      below = waiting.get();
      waiter.next = below;
    } while (!waiting.compareAndSet(below, waiter));
  }

  /** Forces for all that wait; the caller leads. */
  private void lead(Runnable force) {
    Waiter group = takeAll();
    try {
      if (!isForced(group)) {
        force.run();
      }
    } finally { // also after an error: the others wait
      if (isForced(group)) {
        finish(group);
      } else {
        submit(group);
      }
    }
  }

  /** Has the executor force for a group, or if that is null for all that wait when it begins. */
  private void submit(@Nullable Waiter group) {
    boolean submitted = false;
    try {
      executor.execute(() -> commit(group == null ? takeAll() : group));
      submitted = true;
    } catch (RejectedExecutionException e) {
      LOG.debug("Closed meanwhile, after a force of everything", e);
    } finally {
      if (!submitted) { // also for want of memory: the next to come must lead
        finish(group == null ? takeAll() : group);
      }
    }
  }

  private void commit(@Nullable Waiter group) {
    try {
      if (!isForced(group)) {
        target.force();
      }
    } finally {
      finish(group);
    }
  }

  /** Returns whether no force is needed: another was quicker, or the last one is over. */
  private boolean isForced(@Nullable Waiter group) {
    long end = 0;
    for (Waiter waiter = group; waiter != null; waiter = waiter.next) {
      end = Math.max(end, waiter.end);
    }
    return ended || end <= target.forcedEnd();
  }

  /** Answers the group of the one that leads, and has another lead if more wait. */
  private void finish(@Nullable Waiter group) {
    answer(group);
    leading.set(false); // first: one that is pushed from now on finds that it may lead
    Waiter newest = waiting.get();
    if (newest != null) {
      newest.promote();
    }
  }

  /** Returns all that wait, the first to enter first. */
  private @Nullable Waiter takeAll() {
    Waiter taken = waiting.getAndSet(null);
    Waiter first = null;
    while (taken != null) {
      Waiter below = taken.next;
      taken.next = first;
      first = taken;
      taken = below;
    }
    return first;
  }

  private void answer(@Nullable Waiter group) {
    long forcedEnd = target.forcedEnd();
    Waiter waiter = group;
    while (waiter != null) {
      Waiter next = waiter.next;
      waiter.next = null; // what waits long must not hold the group in memory
      try {
        waiter.answer(waiter.end <= forcedEnd);
      } catch (Throwable e) { // such as no memory; the others get their answer all the same
        LOG.error("Cannot answer one that waits for the device", e);
      }
      waiter = next;
    }
  }

  /**
   * Answers, after the last force, all that wait, and all that come with earlier writes; no force
   * is under way when this returns.
   */
  public void end() {
    ended = true;
    boolean unused = new Parked(0).await(); // it leads, or one that led before has ended
  }
}
