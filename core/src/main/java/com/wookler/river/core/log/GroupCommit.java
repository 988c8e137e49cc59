package com.wookler.river.core.log;

import com.wookler.river.common.WorkerPool;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Group commit: forces for calls that wait for the device, such as publishes; one force serves all
 * that wait when it starts. Thread-safe. Forces never run on a thread that waits: its interrupt
 * would close the channel.
 *
 * <p>Those that wait are in a stack. The thread that pushes the first one submits a commit, which
 * takes the whole stack, forces, and answers. So the executor has one commit as long as a call
 * waits, and while one forces, the next group gathers.
 */
public final class GroupCommit {
  private static final Logger LOG = LoggerFactory.getLogger(GroupCommit.class);

  private final Target target;
  private final WorkerPool.Serial executor;
  private final Completions completions = new Completions();
  private final Runnable commit = this::commit;
  private final AtomicReference<@Nullable Waiter> waiting = new AtomicReference<>();
  private volatile boolean ended;

  public GroupCommit(Target target, WorkerPool.Serial executor) {
    this.target = target;
    this.executor = executor;
  }

  static GroupCommit of(BlockLog log, LogFailure failure, WorkerPool.Serial executor) {
    return new GroupCommit(
        new Target() {
          @Override
          public long forcedEnd() {
            return log.forcedEnd();
          }

          @Override
          public void force() {
            log.forceAppended();
          }

          @Override
          public RuntimeException notForced() {
            return failure.notForced();
          }
        },
        executor);
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
  private abstract static class Waiter {
    final long end;
    @Nullable Waiter next; // below it in the stack, later the next of the group

    Waiter(long end) {
      this.end = end;
    }

    /** Wakes the waiting call; neither blocks nor runs the user's code. */
    abstract void answer(boolean forced);
  }

  private static final class Parked extends Waiter {
    private final Thread thread = Thread.currentThread();
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

    boolean await() {
      boolean interrupted = false;
      while (!answered) {
        LockSupport.park(this);
        interrupted |= Thread.interrupted(); // with the flag up it would not park
      }
      if (interrupted) {
        thread.interrupt();
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
    Parked waiter = new Parked(end);
    enter(waiter);
    if (!waiter.await()) {
      throw target.notForced();
    }
  }

  /**
   * Returns a future of the force, which completes with this sequence on the common pool; the
   * futures of one thread complete in the order of its calls.
   */
  public CompletableFuture<Long> future(long sequence, long end) {
    Promised waiter = new Promised(sequence, end);
    enter(waiter);
    return waiter.future;
  }

  private void enter(Waiter waiter) {
    Waiter below;
    do {
      below = waiting.get();
      waiter.next = below;
    } while (!waiting.compareAndSet(below, waiter));
    if (ended) {
      answer(takeAll()); // the last force is over, and it had all that was ever written
    } else if (below == null) {
      submit();
    }
  }

  private void submit() {
    try {
      executor.execute(commit);
    } catch (RejectedExecutionException e) {
      answer(takeAll()); // closed meanwhile, after a force of everything
    } catch (Throwable e) {
      answer(takeAll()); // such as no memory: the next to come must find an empty stack and submit
      throw e;
    }
  }

  /** Forces for all that wait. A call that enters from now on submits the next commit. */
  private void commit() {
    Waiter group = takeAll();
    if (group == null) {
      return;
    }
    long end = 0;
    for (Waiter waiter = group; waiter != null; waiter = waiter.next) {
      end = Math.max(end, waiter.end);
    }
    if (end > target.forcedEnd()) { // else another force was quicker
      target.force();
    }
    answer(group);
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

  /** Answers, after the last force, all that wait, and all that come with earlier writes. */
  public void end() {
    ended = true;
    executor.drain();
    answer(takeAll());
  }
}
