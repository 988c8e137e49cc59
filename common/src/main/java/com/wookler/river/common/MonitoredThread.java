package com.wookler.river.common;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A daemon thread that the {@link Monitor}, if there is one, reports while it runs, and once when
 * it has ended. What its body throws is logged. All of River's threads are of this class, and
 * applications may create their own.
 */
public class MonitoredThread extends Thread {
  private static final Logger LOG = LoggerFactory.getLogger(MonitoredThread.class);
  private static final Set<MonitoredThread> RUNNING = ConcurrentHashMap.newKeySet();

  private final Runnable body;

  /**
   * Creates a thread, without starting it.
   *
   * @param name the name in heartbeats and thread dumps
   * @param body what it runs
   */
  public MonitoredThread(String name, Runnable body) {
    // Without the inheritable thread locals of the creating thread, which would be kept alive.
    super(null, null, name, 0, false);
    this.body = body;
    setDaemon(true);
  }

  /** Returns the threads that run now, whether there is a monitor or not. */
  static Set<MonitoredThread> running() {
    return RUNNING;
  }

  /** Starts the thread. The monitor reports it once this returns. */
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

  /** Runs the body, and logs what it throws, including an {@link Error}. */
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
