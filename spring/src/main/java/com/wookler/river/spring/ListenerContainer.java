package com.wookler.river.spring;

import com.wookler.river.reactor.Reactor;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A listener and the reactor that calls it while it runs. Which one it is changes under the lock of
 * {@link RiverListeners}.
 */
final class ListenerContainer<M> {
  private static final Logger LOG = LoggerFactory.getLogger(ListenerContainer.class);

  private final ListenerSettings settings;
  private final ListenerMethod method;
  private volatile @Nullable Reactor<M> reactor; // any thread asks whether it runs

  ListenerContainer(ListenerSettings settings, ListenerMethod method) {
    this.settings = settings;
    this.method = method;
  }

  ListenerSettings settings() {
    return settings;
  }

  /** Returns whether the method's parameters name the type of the data. */
  boolean isTyped() {
    return method.type().isPresent();
  }

  void start(ListenerFactory factory) {
    if (reactor == null) {
      reactor = factory.start(settings, method);
      LOG.info("Listener {} takes messages of {}", settings.source(), settings.id());
    }
  }

  void pause() {
    if (reactor != null) {
      reactor.pause();
    }
  }

  void stop(Duration timeout) {
    forget(close(timeout));
  }

  /**
   * Closes the reactor, if there is one, and returns it; the listener counts as running until it is
   * forgotten. Needs no lock.
   */
  @Nullable Reactor<M> close(Duration timeout) {
    Reactor<M> closing = reactor;
    if (closing != null && !closing.close(timeout)) {
      LOG.warn(
          "Listener {} did not end in time (river.stop-timeout); its messages come again",
          settings.source());
    }
    return closing;
  }

  /** Forgets a reactor that is closed, unless the listener has another one by now. */
  void forget(@Nullable Reactor<?> closed) {
    if (reactor == closed) {
      reactor = null;
    }
  }

  boolean isRunning() {
    return reactor != null;
  }
}
