package com.wookler.river.common;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.function.Consumer;

/**
 * Collects the states of the monitored threads, including those that have ended since the last
 * report. Thread-safe.
 */
final class HeartbeatCollector {
  /** The largest number of ended threads kept for the next report; older ones are dropped. */
  static final int MAX_ENDED = 1_024;

  private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
  private final boolean timed =
      threads.isThreadCpuTimeSupported() && threads.isThreadCpuTimeEnabled();
  private final Object lock = new Object();

  @GuardedBy("lock")
  private final Deque<Heartbeat> ended = new ArrayDeque<>();

  void ended(MonitoredThread thread) {
    synchronized (lock) {
      if (ended.size() == MAX_ENDED) {
        ended.removeFirst();
      }
      ended.addLast(
          new Heartbeat(thread.getId(), thread.getName(), Thread.State.TERMINATED, -1, -1));
    }
  }

  /** Passes all states to {@code target}, and drops the ended threads once it has returned. */
  void report(Consumer<List<Heartbeat>> target) {
    List<Heartbeat> over;
    synchronized (lock) {
      // Before those running: a thread that ends in between is in neither list now, rather than in
      // both.
      over = List.copyOf(ended);
    }
    List<Heartbeat> all = new ArrayList<>(running());
    all.addAll(over);
    target.accept(all);
    synchronized (lock) {
      ended.removeAll(new HashSet<>(over));
    }
  }

  List<Heartbeat> running() {
    return MonitoredThread.running().stream()
        .map(this::heartbeat)
        .filter(each -> each.state() != Thread.State.TERMINATED)
        .sorted((one, other) -> Long.compare(one.id(), other.id()))
        .toList();
  }

  private Heartbeat heartbeat(MonitoredThread thread) {
    long id = thread.getId();
    return new Heartbeat(
        id,
        thread.getName(),
        thread.getState(),
        timed ? threads.getThreadCpuTime(id) : -1,
        timed ? threads.getThreadUserTime(id) : -1);
  }
}
