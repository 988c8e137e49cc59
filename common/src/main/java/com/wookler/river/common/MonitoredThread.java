package com.wookler.river.common;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A daemon thread that the {@link Monitor} reports while it runs, and once when it has ended;
 * without a monitor, just a thread. What its body throws is logged. All of River's threads are
 * such, and applications may make their own.
 */
public class MonitoredThread extends Thread {
  private static final Logger LOG = LoggerFactory.getLogger(MonitoredThread.class);
  private static final Set<MonitoredThread> RUNNING = ConcurrentHashMap.newKeySet();

  private final Runnable body;

  /**
   * A thread, not started yet.
   *
   * @param name the name in heartbeats and thread dumps
   * @param body what it runs
   */
  public MonitoredThread(String name, Runnable body) {
    // Inheritable thread locals of whoever made the thread are not ours to keep alive.
    super(null, null, name, 0, false);
    this.body = body;
    setDaemon(true);
  }

  /** Those that run now, whether there is a monitor or not. */
  static Set<MonitoredThread> running() {
    return RUNNING;
  }

  /** Starts the thread; it is known to the monitor when this returns. */
  @Override
  public final synchronized void start() {
    boolean added = RUNNING.add(this);
    boolean started = false;
    try {
      super.start();
      started = true;
    } finally {
      if (added && !started) {
        RUNNING.remove(this);
      }
    }
  }

  /** Runs the body; logs what it throws, an Error too. */
  @Override
  public final void run() {
    try {
      body.run();
    } catch (Throwable e) {
      LOG.error("Thread {} ended by an uncaught {}", getName(), e.getClass().getName(), e);
    } finally {
      RUNNING.remove(this);
      Monitor.ended(this);
    }
  }
}
