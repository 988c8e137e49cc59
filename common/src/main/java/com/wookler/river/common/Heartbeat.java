package com.wookler.river.common;

/**
 * The state of a {@link MonitoredThread}. A thread that has ended is reported once, with {@link
 * Thread.State#TERMINATED} and no times.
 *
 * @param cpuNanos CPU time in nanoseconds; -1 if the JVM does not measure it
 * @param userNanos the part of it spent in user mode; -1 if the JVM does not measure it
 */
public record Heartbeat(long id, String name, Thread.State state, long cpuNanos, long userNanos) {

  /** Returns the form in the log. */
  @Override
  public String toString() {
    String thread = "{THREAD: ID=%d, NAME=%s, STATE=%s}".formatted(id, name, state);
    return state == Thread.State.TERMINATED
        ? thread
        : "{%s CPUTIME=%d, USERTIME=%d}".formatted(thread, cpuNanos, userNanos);
  }
}
