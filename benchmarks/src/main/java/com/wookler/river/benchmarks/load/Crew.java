package com.wookler.river.benchmarks.load;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import com.wookler.river.benchmarks.profile.ShiftEvent;
import com.wookler.river.common.MonitoredThread;
import com.wookler.river.common.TimeSource;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import org.jspecify.annotations.Nullable;

/**
 * Threads that start together, each doing its job, and what it took them. If one fails, the others
 * are interrupted and the failure is thrown.
 */
final class Crew {
  /** What one thread does. */
  @FunctionalInterface
  interface Job {
    /**
     * Gets ready, calls {@link Shift#begin}, works, calls {@link Shift#end}, puts things away.
     *
     * @return how many messages it did
     */
    long work(Shift shift) throws Exception;
  }

  /** A member's view of the crew. */
  interface Shift {
    /** Waits until all are ready; returns the common start in nanoseconds. */
    long begin() throws InterruptedException, BrokenBarrierException;

    /** The calling thread's part is done; what it does after this does not count. */
    void end();
  }

  private static final TimeSource TIME = TimeSource.system();
  private static final ThreadMXBean THREADS =
      ManagementFactory.getPlatformMXBean(ThreadMXBean.class);
  private static final OperatingSystemMXBean PROCESS =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

  private final List<Member> members = new ArrayList<>(); // before work() only

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
  private @Nullable Throwable failure;

  /** Adds one, before the work begins. */
  void add(String name, Job job) {
    members.add(new Member(name, job));
  }

  /** Lets all work, and returns when all have ended. */
  Effort work() throws Exception {
    CyclicBarrier ready = new CyclicBarrier(members.size(), this::start);
    List<MonitoredThread> threads =
        members.stream()
            .map(member -> new MonitoredThread(member.name, () -> member.run(ready)))
            .toList();
    threads.forEach(Thread::start);
    boolean over = false;
    while (!over) {
      over = true;
      for (MonitoredThread thread : threads) {
        thread.join(100);
        over &= !thread.isAlive();
      }
      if (!over && failure() != null) {
        ready.reset();
        threads.forEach(Thread::interrupt);
      }
    }
    return effort();
  }

  private synchronized void start() {
    cpuAtStart = PROCESS.getProcessCpuTime();
    started = TIME.nanoTime();
    ended = started;
  }

  private synchronized long started() {
    return started;
  }

  private synchronized void end(long bytes) {
    ended = TIME.nanoTime();
    cpuAtEnd = PROCESS.getProcessCpuTime();
    allocated += bytes;
  }

  private synchronized @Nullable Throwable failure() {
    return failure;
  }

  private synchronized void fail(Throwable cause) {
    if (failure == null) {
      failure = cause;
    }
  }

  private synchronized Effort effort() throws Exception {
    if (failure instanceof Exception e) {
      throw e;
    }
    if (failure instanceof Error e) {
      throw e;
    }
    return new Effort(
        ended - started,
        cpuAtEnd - cpuAtStart,
        allocated,
        members.stream().map(member -> member.count).toList());
  }

  private final class Member {
    private final String name;
    private final Job job;
    private long count; // written by its thread, read after that has ended

    Member(String name, Job job) {
      this.name = name;
      this.job = job;
    }

    @SuppressWarnings("Interruption") // the thread ends here: nobody is left to see the flag
    void run(CyclicBarrier ready) {
      MemberShift shift = new MemberShift(ready);
      try {
        count = job.work(shift);
      } catch (Throwable e) {
        fail(e);
      }
      shift.over();
    }
  }

  /** Confined to its member's thread. */
  private final class MemberShift implements Shift {
    private final CyclicBarrier ready;
    private final ShiftEvent event = new ShiftEvent();
    private boolean over;
    private long allocatedBefore;

    MemberShift(CyclicBarrier ready) {
      this.ready = ready;
    }

    @Override
    public long begin() throws InterruptedException, BrokenBarrierException {
      ready.await();
      event.begin();
      allocatedBefore = THREADS.getCurrentThreadAllocatedBytes();
      return started();
    }

    @Override
    public void end() {
      Crew.this.end(THREADS.getCurrentThreadAllocatedBytes() - allocatedBefore);
      over();
    }

    /** For recordings; jobs whose end does not count for the time end here too. */
    void over() {
      if (!over) {
        over = true;
        event.commit();
      }
    }
  }
}
