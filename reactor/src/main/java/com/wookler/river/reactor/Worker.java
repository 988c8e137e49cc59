package com.wookler.river.reactor;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.core.message.StaleReceiptException;
import com.wookler.river.core.subscriber.Delivery;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One consumer of a reactor: takes a batch, runs it through the chain, and so on until told. When
 * there is nothing to do it gives its thread back and {@link Rest rests}.
 */
final class Worker<M> implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(Worker.class);
  private static final long FIRST_HOLD = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long LONGEST_HOLD = TimeUnit.SECONDS.toNanos(10);
  private static final long AWAY = TimeUnit.SECONDS.toNanos(1); // from a thread that is to end

  private final Plan<M> plan;
  private final Gate gate;
  private final Crew<M> crew;
  private final int number;
  private final boolean isGuest;
  private final Rest<M> rest;

  @GuardedBy("this")
  private @Nullable Thread polling; // set while it waits for messages, and may be interrupted

  @GuardedBy("this")
  private boolean woken; // by us: the interrupt is not the thread's owner's

  private volatile @Nullable Run<M> run; // written by its thread only
  private volatile @Nullable Thread thread; // likewise
  private volatile boolean dismissed;
  private long hold; // confined to its thread; handed on by the executor

  /** A batch that is being processed. */
  static final class Run<M> {
    private final List<Delivery<M>> batch;
    private final long startedNanos;

    Run(List<Delivery<M>> batch, long startedNanos) {
      this.batch = batch;
      this.startedNanos = startedNanos;
    }

    List<Delivery<M>> batch() {
      return batch;
    }

    long startedNanos() {
      return startedNanos;
    }
  }

  /**
   * A worker that has not begun.
   *
   * @param number in the name of its thread
   * @param isGuest whether its thread is somebody else's, whose interrupts are meant for it
   */
  Worker(Plan<M> plan, Crew<M> crew, int number, boolean isGuest) {
    this.number = number;
    this.isGuest = isGuest;
    this.plan = plan;
    this.gate = plan.gate();
    this.crew = crew;
    this.rest = new Rest<>(this, plan, crew);
  }

  int number() {
    return number;
  }

  boolean isGuest() {
    return isGuest;
  }

  @Override
  public void run() {
    boolean again = true;
    while (again) {
      Throwable end = work();
      if (end == null && !dismissed && !gate.isStopped()) {
        again = rest.begin(isToldToEnd() ? AWAY : hold);
      } else {
        crew.ended(this, end);
        again = false;
      }
    }
  }

  /** Works as long as there is something to do; returns what ended it, null if nothing special. */
  private @Nullable Throwable work() {
    thread = Thread.currentThread();
    try {
      List<Delivery<M>> arrived = rest.takeArrived();
      if (!arrived.isEmpty()) {
        hold = 0;
      }
      Throwable end = process(arrived);
      while (end == null && !dismissed && !isToldToEnd() && mayGoOn()) {
        List<Delivery<M>> batch = poll(isGuest ? Duration.ZERO : Crew.LINGER);
        if (batch.isEmpty()) {
          break;
        }
        end = process(batch);
      }
      return end;
    } catch (Throwable e) { // not to be seen by anybody else: the reactor would go on with one less
      return e;
    } finally {
      thread = null;
    }
  }

  private boolean mayGoOn() {
    return gate.state() == Gate.State.OPEN && gate.heldFor() == 0;
  }

  private boolean isToldToEnd() {
    return isGuest && Thread.currentThread().isInterrupted();
  }

  /** Takes what is there and processes it; returns how many messages that were. */
  int once(Duration timeout) {
    thread = Thread.currentThread();
    try {
      gate.await(Math.min(timeout.toNanos(), gate.heldFor()));
      List<Delivery<M>> batch = gate.heldFor() > 0 ? List.of() : poll(timeout);
      gate.await(hold);
      Error error = process(batch);
      if (error != null) {
        throw error;
      }
      return batch.size();
    } finally {
      thread = null;
      crew.ended(this, null);
    }
  }

  private List<Delivery<M>> poll(Duration timeout) {
    synchronized (this) {
      if (gate.state() != Gate.State.OPEN) {
        return List.of();
      }
      polling = Thread.currentThread();
    }
    boolean interrupted = false;
    try {
      List<Delivery<M>> batch = plan.subscriber().batch(plan.batchSize(), timeout);
      hold = 0;
      return batch;
    } catch (InterruptedException e) {
      interrupted = true;
      return List.of();
    } catch (QueueClosedException e) {
      gate.become(Gate.State.STOPPED);
      return List.of();
    } catch (RuntimeException | Error e) {
      failed(e);
      return List.of();
    } finally {
      endInterrupts(interrupted);
    }
  }

  /** Takes our own interrupt away, also one that came too late, and leaves that of the owner. */
  private synchronized void endInterrupts(boolean interrupted) {
    polling = null;
    boolean left = Thread.interrupted() || interrupted;
    if (left && !woken && isGuest) {
      Thread.currentThread().interrupt();
    }
    woken = false;
  }

  /**
   * The subscriber stays as it is until somebody mends it: asking at once would only fill logs.
   *
   * @return for how long to leave it alone
   */
  long failed(Throwable e) {
    if (hold == 0) {
      LOG.error("Subscriber {} gives no messages; trying again", plan.subscriber().name(), e);
    }
    hold = Math.max(FIRST_HOLD, Math.min(LONGEST_HOLD, hold * 2));
    return hold;
  }

  /** Processes a batch; returns what its thread should not outlive. */
  private @Nullable Error process(List<Delivery<M>> batch) {
    if (batch.isEmpty()) {
      return null;
    }
    Outcomes<M> outcomes = plan.home().outcomes();
    run = new Run<>(batch, plan.time().nanoTime());
    try {
      plan.chain().runOut(batch, outcomes);
    } finally {
      run = null;
      endInterrupts(Thread.interrupted());
    }
    return outcomes.error();
  }

  /** Has the calling thread, which is neither ours nor works for us, do something over a batch. */
  void lend(List<Delivery<M>> batch, Runnable work) {
    thread = Thread.currentThread();
    run = new Run<>(batch, plan.time().nanoTime());
    try {
      work.run();
    } finally {
      run = null;
      endInterrupts(Thread.interrupted());
      thread = null;
      crew.ended(this, null);
    }
  }

  /** What it is processing; null between batches. */
  @Nullable Run<M> current() {
    return run;
  }

  /** The thread that runs it; null while it rests. */
  @Nullable Thread thread() {
    return thread;
  }

  /** It shall end behind its batch: another has its place. */
  void dismiss() {
    dismissed = true;
  }

  boolean isDismissed() {
    return dismissed;
  }

  /** It may take messages again, as far as the gate is concerned. */
  void resume() {
    rest.look();
  }

  /** Has it begin after a time, without a thread until then. */
  void restFor(long nanos) {
    rest.begin(nanos);
  }

  /** There is no thread for it now. */
  void restAgain(Throwable why) {
    rest.goOn(why);
  }

  /** Has it look at the gate again, if it waits for messages. */
  void wake() {
    synchronized (this) {
      if (polling != null) {
        woken = true;
        polling.interrupt();
      }
    }
    rest.look();
  }

  /** Interrupts what it is processing. */
  synchronized void abort() {
    Thread busy = thread;
    if (run != null && busy != null) {
      woken = true;
      busy.interrupt();
    }
  }

  /** Gives up what it is processing, which does not end: the messages are delivered again. */
  void abandon() {
    Run<M> abandoned = run;
    if (abandoned != null) {
      abandoned.batch().forEach(delivery -> giveBack(delivery, true));
    }
    rest.takeArrived().forEach(delivery -> giveBack(delivery, false));
  }

  /** Counts the attempt of what was begun. */
  static void giveBack(Delivery<?> delivery, boolean begun) {
    try {
      if (begun) {
        delivery.nack(Duration.ZERO);
      } else {
        delivery.release();
      }
    } catch (StaleReceiptException | QueueClosedException e) {
      LOG.debug("Sequence {} was decided meanwhile", delivery.sequence());
    } catch (RuntimeException e) { // the others are given back all the same
      LOG.error("Cannot give sequence {} back", delivery.sequence(), e);
    }
  }
}
