package com.wookler.river.spring;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.TimeSource;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.utils.FirstFailure;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.reactor.Reactor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.core.Ordered;

/**
 * The {@link RiverListener}s of the application, each named {@code queue/subscriber}. They start
 * last, after the web server, and stop first: messages that they have begun to process are finished
 * and acknowledged before anything else stops, Spring's executors included. While one of them runs,
 * the application does not end by itself. Thread-safe.
 */
public final class RiverListeners
    implements SmartLifecycle, ApplicationListener<ContextClosedEvent>, Ordered {
  /** The phase in which listeners start; after Spring Boot's web servers. */
  public static final int PHASE = Integer.MAX_VALUE - 100;

  private static final Duration LOOK_EVERY = Duration.ofMillis(10); // while the lock is waited for
  private static final Logger LOG = LoggerFactory.getLogger(RiverListeners.class);

  private final ApplicationContext context;
  private final Supplier<ListenerFactory> factory;
  private final Duration stopTimeout;
  private final ReentrantLock changing = new ReentrantLock();

  /** Replaced under the lock. Listeners may look while the lock is held to wait for them. */
  private volatile Map<String, ListenerContainer<?>> containers = Map.of();

  @GuardedBy("changing")
  private final KeepAlive alive = new KeepAlive();

  private volatile boolean running; // changed under the lock
  private volatile boolean ended; // the context is closed: none begins any more
  private final AtomicInteger stopsBegun = new AtomicInteger(); // of all, before the lock is taken
  private final AtomicInteger stopsEnded = new AtomicInteger();

  RiverListeners(
      ApplicationContext context, Supplier<ListenerFactory> factory, Duration stopTimeout) {
    this.context = context;
    this.factory = factory;
    this.stopTimeout = stopTimeout;
  }

  /** Adds a listener; it starts at once if the others run. */
  void add(ListenerSettings settings, ListenerMethod method) {
    changing.lock();
    try {
      ListenerContainer<?> container = new ListenerContainer<>(settings, method);
      Map<String, ListenerContainer<?>> more = new LinkedHashMap<>(containers);
      ListenerContainer<?> other = more.putIfAbsent(settings.id(), container);
      if (other != null) {
        throw new ConfigurationException(
            "@RiverListener on %s and on %s have the same queue and subscriber, %s; name another"
                    .formatted(settings.source(), other.settings().source(), settings.id())
                + " subscriber, and make their beans singletons");
      }
      containers = Collections.unmodifiableMap(more);
      if (running && settings.autoStartup()) {
        container.start(factory.get());
        keepAlive();
      }
    } finally {
      changing.unlock();
    }
  }

  /** Returns the names of all listeners. */
  public Set<String> names() {
    return new TreeSet<>(containers.keySet());
  }

  /**
   * Starts a listener, such as one that does not start by itself. Does nothing if it runs, or is
   * about to stop. A listener may call.
   *
   * @param name {@code queue/subscriber}
   * @throws ConfigurationException there is none, or it cannot start
   * @throws QueueClosedException the application ends, or all listeners are stopped meanwhile
   */
  public void start(String name) {
    int stops = stopsEnded.get();
    lockUnlessStopped(name, stops);
    try {
      checkNotStopped(name, stops);
      find(name).start(factory.get());
      keepAlive();
    } finally {
      changing.unlock();
    }
  }

  /** Takes the lock, unless all are stopped: that may wait for the listener that calls. */
  private void lockUnlessStopped(String name, int stops) {
    boolean interrupted = false;
    try {
      boolean locked = false;
      while (!locked) {
        checkNotStopped(name, stops);
        try {
          locked = changing.tryLock(LOOK_EVERY.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Checks that no stop of all has begun but those that had ended. */
  private void checkNotStopped(String name, int stops) {
    if (ended) {
      throw new QueueClosedException("listener " + name + ": the application has ended");
    }
    if (stopsBegun.get() != stops) {
      throw new QueueClosedException(
          "listener " + name + " was not started: all listeners are being stopped");
    }
  }

  /**
   * Stops a listener, after the messages that it has begun to process. Must not be called by a
   * listener.
   *
   * @param name {@code queue/subscriber}
   */
  public void stop(String name) {
    ListenerContainer<?> listener = find(name);
    Reactor<?> closed = listener.close(stopTimeout); // without the lock: it may start another one
    changing.lock();
    try {
      listener.forget(closed);
      keepAlive();
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
    return find(name).isRunning();
  }

  @GuardedBy("changing")
  private void keepAlive() {
    alive.keep(containers.values().stream().anyMatch(ListenerContainer::isRunning));
  }

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
      containers.values().stream()
          .filter(each -> each.settings().autoStartup())
          // those that name a type open their queues for it, before those that take any
          .sorted(Comparator.comparing(each -> !each.isTyped()))
          .forEach(each -> each.start(all));
      keepAlive();
    } catch (RuntimeException | Error e) {
      stop();
      throw e;
    } finally {
      changing.unlock();
    }
  }

  @Override
  public void stop() {
    stopsBegun.incrementAndGet();
    changing.lock();
    try {
      stopAll();
    } finally {
      stopsEnded.incrementAndGet();
      changing.unlock();
    }
  }

  private void end() {
    ended = true;
    stop();
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
    alive.keep(false);
    failure.rethrow();
  }

  /**
   * Stops the listeners of a context that is closed: before the lifecycle does, because Spring's
   * executors and schedulers take no more tasks from this event on.
   */
  @Override
  public void onApplicationEvent(ContextClosedEvent event) {
    if (event.getApplicationContext() != context) {
      return; // that of a child
    }
    try {
      end();
    } catch (RuntimeException e) {
      LOG.warn("Listeners could not be stopped", e); // others wait for the event, too
    }
  }

  @Override
  public boolean supportsAsyncExecution() {
    return false;
  }

  /** Before all others that listen to the same event. */
  @Override
  public int getOrder() {
    return HIGHEST_PRECEDENCE;
  }

  @Override
  public boolean isRunning() {
    return running;
  }

  @Override
  public int getPhase() {
    return PHASE;
  }
}
