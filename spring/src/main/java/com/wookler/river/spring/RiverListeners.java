package com.wookler.river.spring;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.TimeSource;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.utils.FirstFailure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.springframework.context.SmartLifecycle;

/**
 * The {@link RiverListener}s of the application, each named {@code queue/subscriber}. They start
 * last, after the web server, and stop first: messages that they have begun to process are finished
 * and acknowledged before anything else stops. Thread-safe.
 */
public final class RiverListeners implements SmartLifecycle {
  /** The phase in which listeners start; after Spring Boot's web servers. */
  public static final int PHASE = Integer.MAX_VALUE - 100;

  private final Supplier<ListenerFactory> factory;
  private final Duration stopTimeout;
  private final ReentrantLock changing = new ReentrantLock();

  @GuardedBy("changing")
  private final Map<String, ListenerContainer<?>> containers = new LinkedHashMap<>();

  @GuardedBy("changing")
  private boolean running;

  RiverListeners(Supplier<ListenerFactory> factory, Duration stopTimeout) {
    this.factory = factory;
    this.stopTimeout = stopTimeout;
  }

  /** Adds a listener; it starts at once if the others run. */
  void add(ListenerSettings settings, ListenerMethod method) {
    changing.lock();
    try {
      ListenerContainer<?> container = new ListenerContainer<>(settings, method);
      ListenerContainer<?> other = containers.putIfAbsent(settings.id(), container);
      if (other != null) {
        throw new ConfigurationException(
            "@RiverListener on %s and on %s have the same queue and subscriber, %s; name another"
                    .formatted(settings.source(), other.settings().source(), settings.id())
                + " subscriber, and make their beans singletons");
      }
      if (running && settings.autoStartup()) {
        container.start(factory.get());
      }
    } finally {
      changing.unlock();
    }
  }

  /** Returns the names of all listeners. */
  public Set<String> names() {
    changing.lock();
    try {
      return new TreeSet<>(containers.keySet());
    } finally {
      changing.unlock();
    }
  }

  /**
   * Starts a listener, such as one that does not start by itself. Does nothing if it runs.
   *
   * @param name {@code queue/subscriber}
   * @throws ConfigurationException there is none, or it cannot start
   */
  public void start(String name) {
    changing.lock();
    try {
      find(name).start(factory.get());
    } finally {
      changing.unlock();
    }
  }

  /**
   * Stops a listener, after the messages that it has begun to process. Must not be called by a
   * listener.
   *
   * @param name {@code queue/subscriber}
   */
  public void stop(String name) {
    changing.lock();
    try {
      find(name).stop(stopTimeout);
    } finally {
      changing.unlock();
    }
  }

  /**
   * Returns whether a listener runs.
   *
   * @param name {@code queue/subscriber}
   */
  public boolean isRunning(String name) {
    changing.lock();
    try {
      return find(name).isRunning();
    } finally {
      changing.unlock();
    }
  }

  @GuardedBy("changing")
  private ListenerContainer<?> find(String name) {
    ListenerContainer<?> found = containers.get(name);
    if (found == null) {
      throw new ConfigurationException(
          "there is no listener '" + name + "'; there are " + containers.keySet());
    }
    return found;
  }

  @Override
  public void start() {
    changing.lock();
    try {
      running = true;
      ListenerFactory all = factory.get();
      for (ListenerContainer<?> each : containers.values()) {
        if (each.settings().autoStartup()) {
          each.start(all);
        }
      }
    } catch (RuntimeException | Error e) {
      stopAll();
      throw e;
    } finally {
      changing.unlock();
    }
  }

  @Override
  public void stop() {
    changing.lock();
    try {
      stopAll();
    } finally {
      changing.unlock();
    }
  }

  @GuardedBy("changing")
  private void stopAll() {
    running = false;
    List<ListenerContainer<?>> all = new ArrayList<>(containers.values());
    all.forEach(ListenerContainer::pause); // none begins another message while one is waited for
    long end = TimeSource.system().nanoTime() + stopTimeout.toNanos();
    FirstFailure failure = new FirstFailure();
    for (ListenerContainer<?> each : all) {
      long left = Math.max(0, end - TimeSource.system().nanoTime());
      failure.run(() -> each.stop(Duration.ofNanos(left)));
    }
    failure.rethrow();
  }

  @Override
  public boolean isRunning() {
    changing.lock();
    try {
      return running;
    } finally {
      changing.unlock();
    }
  }

  @Override
  public int getPhase() {
    return PHASE;
  }
}
