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
public final class WorkerGroup {
  private static final ThreadMXBean THREADS =
      ManagementFactory.getPlatformMXBean(ThreadMXBean.class);

  private final Map<String, Job> jobs = new LinkedHashMap<>(); // by thread; before work() only
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
     * Gets ready, calls {@link Timer#begin}, works, calls {@link Timer#end}, closes what it opened.
     *
     * @return how many messages it did
     */
    long work(Timer timer) throws Exception;
  }

  /** What one thread does, all of which counts. */
  @FunctionalInterface
  public interface Body {
    /** Does it. */
    void run() throws Exception;
  }

  /** A member's view of the group. */
  public interface Timer {
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
   * @param allocatedBytes by the group's own threads
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
  public WorkerGroup() {
    this(() -> {}, () -> {});
  }

  /**
   * Creates it without members.
   *
   * @param atStart is run when all are ready, before the common start
   * @param atFailure is run when the first has failed, before the others are interrupted
   */
  public WorkerGroup(Runnable atStart, Runnable atFailure) {
    this.atStart = atStart;
    this.atFailure = atFailure;
  }

  /** Adds a member, before the work begins. */
  public void add(String name, Job job) {
    jobs.put(name, job);
  }

  /** Adds a member all of whose work counts. */
  public void addBody(String name, Body body) {
    add(
        name,
        timer -> {
          timer.begin();
          body.run();
          timer.end();
          return 0;
        });
  }

  /** Starts all members, and returns when all have ended. */
  public Effort work() throws Exception {
    CyclicBarrier ready = new CyclicBarrier(jobs.size(), this::start);
    List<Member> members = new ArrayList<>();
    jobs.forEach((name, job) -> members.add(new Member(name, job, ready)));
    List<MonitoredThread> threads =
        members.stream().map(member -> new MonitoredThread(member.name, member::run)).toList();
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
    return effort(members);
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

  private synchronized Effort effort(List<Member> members) throws Exception {
    if (failure != null) {
      throw failure;
    }
    return new Effort(
        ended - started,
        cpuAtEnd - cpuAtStart,
        allocated,
        members.stream().map(member -> member.count).toList());
  }

  /** Confined to its thread, but for the count. */
  private final class Member implements Timer {
    private final String name;
    private final Job job;
    private final CyclicBarrier ready;
    private long allocatedBefore;
    private long count; // written by its thread, read after that has ended

    Member(String name, Job job, CyclicBarrier ready) {
      this.name = name;
      this.job = job;
      this.ready = ready;
    }

    @SuppressWarnings("Interruption") // the thread ends here: nothing is left to see the flag
    void run() {
      try {
        count = job.work(this);
      } catch (Exception e) {
        fail(e);
      } catch (Error e) {
        fail(new IllegalStateException(name + " failed: " + e, e));
        throw e;
      }
    }

    @Override
    public long begin() throws InterruptedException, BrokenBarrierException {
      ready.await();
      allocatedBefore = THREADS.getCurrentThreadAllocatedBytes();
      return started();
    }

    @Override
    public void end() {
      WorkerGroup.this.end(THREADS.getCurrentThreadAllocatedBytes() - allocatedBefore);
    }
  }
}
