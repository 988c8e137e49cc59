package com.wookler.river.benchmarks.harness;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CompletionService;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Threads that start together, each doing its job, and what that took. If one fails, the others are
 * interrupted and the failure is thrown.
 */
public final class WorkerGroup {
  private static final ThreadMXBean THREADS =
      ManagementFactory.getPlatformMXBean(ThreadMXBean.class);

  private final Map<String, Job> jobs = new LinkedHashMap<>(); // by thread; before work() only
  private final Runnable atFailure;

  @GuardedBy("this")
  private Effort effort = new Effort(0, 0, 0, List.of()); // so far, from the moments of the start

  @GuardedBy("this")
  private long started;

  @GuardedBy("this")
  private long cpuAtStart;

  /** What one thread does. */
  @FunctionalInterface
  public interface Job {
    /**
     * Gets ready, calls {@link Timer#begin}, works, calls {@link Timer#end}, closes what it opened,
     * and returns how many messages it did.
     */
    long work(Timer timer) throws Exception;
  }

  /** What one thread does, all of which counts. */
  @FunctionalInterface
  public interface Body {
    /** Does it. */
    void run() throws Exception;
  }

  /**
   * What the work took, from the common start to the last end: the processor time is that of the
   * whole process, the bytes are those that members allocated, the counts are in their order.
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
      Map<String, Double> figures = new LinkedHashMap<>();
      figures.put("B allocated/msg", (double) allocatedBytes / Math.max(1, messages));
      figures.put("CPU µs/msg", cpuNanos / 1e3 / Math.max(1, messages));
      return figures;
    }
  }

  /** Creates it without members. */
  public WorkerGroup() {
    this(() -> {});
  }

  /** Creates it; {@code atFailure} runs before the others are interrupted. */
  public WorkerGroup(Runnable atFailure) {
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
    ExecutorService threads = Executors.newFixedThreadPool(jobs.size());
    CompletionService<Long> ends = new ExecutorCompletionService<>(threads);
    CyclicBarrier ready = new CyclicBarrier(jobs.size(), this::start);
    List<Future<Long>> members = new ArrayList<>();
    jobs.forEach((name, job) -> members.add(ends.submit(() -> run(name, job, ready))));
    threads.shutdown();
    try {
      for (int i = 0; i < members.size(); i++) {
        ends.take().get(); // the first that fails, not the first that joined
      }
      List<Long> counts = new ArrayList<>();
      for (Future<Long> member : members) {
        counts.add(member.get());
      }
      synchronized (this) {
        return new Effort(effort.nanos, effort.cpuNanos, effort.allocatedBytes, counts);
      }
    } catch (ExecutionException e) {
      atFailure.run();
      throw e.getCause() instanceof Exception cause ? cause : e;
    } finally {
      while (!threads.awaitTermination(100, TimeUnit.MILLISECONDS)) {
        ready.reset();
        threads.shutdownNow(); // again, as a member may have ignored it
      }
    }
  }

  private long run(String name, Job job, CyclicBarrier ready) throws Exception {
    Thread.currentThread().setName(name);
    return job.work(new Timer(ready));
  }

  private synchronized void start() {
    cpuAtStart = ThisJvm.cpuNanos();
    started = System.nanoTime();
  }

  private synchronized long started() {
    return started;
  }

  private synchronized void end(long allocated) {
    long nanos = System.nanoTime() - started;
    long cpuNanos = ThisJvm.cpuNanos() - cpuAtStart;
    effort = new Effort(nanos, cpuNanos, effort.allocatedBytes + allocated, List.of());
  }

  /** A member's view of the group, confined to its thread. */
  public final class Timer {
    private final CyclicBarrier ready;
    private long allocatedBefore;

    private Timer(CyclicBarrier ready) {
      this.ready = ready;
    }

    /** Waits until all are ready; returns the common start in nanoseconds. */
    public long begin() throws InterruptedException, BrokenBarrierException {
      ready.await();
      allocatedBefore = THREADS.getCurrentThreadAllocatedBytes();
      return started();
    }

    /** Ends the calling thread's part: what it does after this does not count. */
    public void end() {
      WorkerGroup.this.end(THREADS.getCurrentThreadAllocatedBytes() - allocatedBefore);
    }
  }
}
