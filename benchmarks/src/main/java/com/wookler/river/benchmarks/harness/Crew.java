package com.wookler.river.benchmarks.harness;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.sun.management.ThreadMXBean;
import com.wookler.river.common.MonitoredThread;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import org.jspecify.annotations.Nullable;

/**
 * Threads that start together, each doing its job, and what that took. If one fails, the others are
 * interrupted and the failure is thrown.
 */
public final class Crew {
  private static final ThreadMXBean THREADS =
      ManagementFactory.getPlatformMXBean(ThreadMXBean.class);

  private final List<Member> members = new ArrayList<>(); // before work() only
  private final Runnable atStart;
  private final Runnable atFailure;

  @GuardedBy("this")
  private long started;

  @GuardedBy("this")
  private long ended;

  @GuardedBy("this")
  private long cpuAtStart;

  @GuardedBy("this")
  private long cpuAtEnd;

  @GuardedBy("this")
  private long allocated;

  @GuardedBy("this")
  private @Nullable Exception failure;

  /** What one thread does. */
  @FunctionalInterface
  public interface Job {
    /**
     * Gets ready, calls {@link Shift#begin}, works, calls {@link Shift#end}, closes what it opened.
     *
     * @return how many messages it did
     */
    long work(Shift shift) throws Exception;
  }

  /** What one thread does, all of which counts. */
  @FunctionalInterface
  public interface Body {
    /** Does it. */
    void run() throws Exception;
  }

  /** A member's view of the crew. */
  public interface Shift {
    /** Waits until all are ready; returns the common start in nanoseconds. */
    long begin() throws InterruptedException, BrokenBarrierException;

    /** Says that the calling thread's part is done; what it does after this does not count. */
    void end();
  }

  /**
   * What the work took, from the common start to the last end.
   *
   * @param nanos time
   * @param cpuNanos processor time of the whole process, background threads and all
   * @param allocatedBytes by the crew's own threads
   * @param counts messages that each member did, in the order in which they joined
   */
  public record Effort(long nanos, long cpuNanos, long allocatedBytes, List<Long> counts) {
    /** Returns messages a second. */
    public double rate(long messages) {
      return messages * 1e9 / Math.max(1, nanos);
    }

    /** Returns the messages of all members together. */
    public long total() {
      return counts.stream().mapToLong(Long::longValue).sum();
    }

    /** Returns what each message cost, by the names in tables. */
    public Map<String, Double> each(long messages) {
      double each = Math.max(1, messages);
      Map<String, Double> figures = new LinkedHashMap<>();
      figures.put("B allocated/msg", allocatedBytes / each);
      figures.put("CPU µs/msg", cpuNanos / 1e3 / each);
      return figures;
    }
  }

  /** Creates it without members. */
  public Crew() {
    this(() -> {}, () -> {});
  }

  /**
   * Creates it without members.
   *
   * @param atStart is run when all are ready, before the common start
   * @param atFailure is run when the first has failed, before the others are interrupted
   */
  public Crew(Runnable atStart, Runnable atFailure) {
    this.atStart = atStart;
    this.atFailure = atFailure;
  }

  /** Adds a member, before the work begins. */
  public void add(String name, Job job) {
    members.add(new Member(name, job));
  }

  /** Adds a member all of whose work counts. */
  public void addBody(String name, Body body) {
    add(
        name,
        shift -> {
          shift.begin();
          body.run();
          shift.end();
          return 0;
        });
  }

  /** Starts all members, and returns when all have ended. */
  public Effort work() throws Exception {
    CyclicBarrier ready = new CyclicBarrier(members.size(), this::start);
    List<MonitoredThread> threads =
        members.stream()
            .map(member -> new MonitoredThread(member.name, () -> member.run(ready)))
            .toList();
    threads.forEach(Thread::start);
    boolean stopped = false;
    for (MonitoredThread thread : threads) {
      while (thread.isAlive()) {
        thread.join(100);
        if (!stopped && failure() != null) {
          stopped = true;
          atFailure.run();
        }
        if (stopped) {
          ready.reset();
          threads.forEach(Thread::interrupt);
        }
      }
    }
    return effort();
  }

  private void start() {
    atStart.run();
    synchronized (this) {
      cpuAtStart = ThisJvm.cpuNanos();
      started = System.nanoTime();
      ended = started;
    }
  }

  private synchronized long started() {
    return started;
  }

  private synchronized void end(long bytes) {
    ended = System.nanoTime();
    cpuAtEnd = ThisJvm.cpuNanos();
    allocated += bytes;
  }

  private synchronized @Nullable Exception failure() {
    return failure;
  }

  private synchronized void fail(Exception cause) {
    if (failure == null) {
      failure = cause;
    }
  }

  private synchronized Effort effort() throws Exception {
    if (failure != null) {
      throw failure;
    }
    return new Effort(
        ended - started,
        cpuAtEnd - cpuAtStart,
        allocated,
        members.stream().map(member -> member.count).toList());
  }

  private final class Member {
    final String name;
    private final Job job;
    private long count; // written by its thread, read after that has ended

    Member(String name, Job job) {
      this.name = name;
      this.job = job;
    }

    @SuppressWarnings("Interruption") // the thread ends here: nothing is left to see the flag
    void run(CyclicBarrier ready) {
      try {
        count = job.work(new MemberShift(ready));
      } catch (Exception e) {
        fail(e);
      } catch (Error e) {
        fail(new IllegalStateException(name + " failed: " + e, e));
        throw e;
      }
    }
  }

  /** Confined to its member's thread. */
  private final class MemberShift implements Shift {
    private final CyclicBarrier ready;
    private long allocatedBefore;

    MemberShift(CyclicBarrier ready) {
      this.ready = ready;
    }

    @Override
    public long begin() throws InterruptedException, BrokenBarrierException {
      ready.await();
      allocatedBefore = THREADS.getCurrentThreadAllocatedBytes();
      return started();
    }

    @Override
    public void end() {
      Crew.this.end(THREADS.getCurrentThreadAllocatedBytes() - allocatedBefore);
    }
  }
}
