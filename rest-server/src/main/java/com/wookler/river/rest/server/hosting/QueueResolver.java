package com.wookler.river.rest.server.hosting;

import com.wookler.river.common.settings.Settings;
import com.wookler.river.core.QueueOptions;
import com.wookler.river.core.QueueState;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.core.subscriber.SubscriberOptions;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Finds the queues and subscribers that requests name.
 *
 * @param catalog the queues
 * @param autoCreate whether publishing creates a queue, and polling a subscriber, that does not
 *     exist; if there are keys, for those with the right {@code ADMIN}
 */
public record QueueResolver(QueueCatalog catalog, boolean autoCreate) {
  /**
   * Returns the queue of this name.
   *
   * @throws RequestException there is none
   */
  public HostedQueue<?> queue(String name) {
    HostedQueue<?> found = catalog.find(name);
    if (found == null) {
      throw RequestException.of(
          RequestException.Reason.NOT_FOUND, "there is no queue '" + name + "'");
    }
    return found;
  }

  private boolean mayCreate(Access access, String queue) {
    return autoCreate && access.allows(Right.ADMIN, queue);
  }

  /**
   * Returns the queue of this name, and creates it if it does not exist and the server is
   * configured to do so. Blocks if it is created.
   *
   * @throws RequestException there is no such queue
   */
  public HostedQueue<?> getOrCreateQueue(Access access, String name) {
    return getOrCreateQueue(access, name, settings -> {});
  }

  /**
   * Returns the queue of this name, as {@link #getOrCreateQueue(Access, String)}.
   *
   * @param check passed the settings of a queue that is going to be created, and throws if it must
   *     not be
   * @throws RequestException there is no such queue
   */
  public HostedQueue<?> getOrCreateQueue(Access access, String name, Consumer<Settings> check) {
    HostedQueue<?> found = catalog.find(name);
    if (found != null || !mayCreate(access, name)) {
      return queue(name);
    }
    if (!catalog.isOnDisk(name)) {
      check.accept(catalog.defaults(name));
    }
    return catalog.getOrCreate(name, QueueOptions.TABLE.defaults()).queue();
  }

  /**
   * Returns the subscriber of this name. May block if it has to be reopened.
   *
   * @throws RequestException there is no such subscriber
   */
  public HostedSubscriber<?> subscriber(HostedQueue<?> queue, String name) {
    HostedSubscriber<?> found = queue.find(name);
    if (found == null) {
      throw RequestException.of(
          RequestException.Reason.NOT_FOUND,
          "queue "
              + queue.queue().name()
              + " has no subscriber '"
              + name
              + "'; create it with PUT");
    }
    return found;
  }

  /** A queue and one of its subscribers. */
  public record Subscription(HostedQueue<?> queue, HostedSubscriber<?> subscriber) {}

  /**
   * Returns the queue and subscriber of these names. May block.
   *
   * @param create what is created if it does not exist and the server is configured to do so: both
   *     if true, nothing if false, only the subscriber if null, because a queue with a mistyped
   *     name would never have a message
   * @throws RequestException the queue or subscriber does not exist
   */
  public Subscription subscription(
      Access access, String queue, String subscriber, @Nullable Boolean create) {
    HostedQueue<?> found =
        Boolean.TRUE.equals(create) ? getOrCreateQueue(access, queue) : queue(queue);
    boolean exists = Boolean.FALSE.equals(create);
    return new Subscription(
        found,
        exists ? subscriber(found, subscriber) : getOrCreateSubscriber(access, found, subscriber));
  }

  private HostedSubscriber<?> getOrCreateSubscriber(
      Access access, HostedQueue<?> queue, String name) {
    HostedSubscriber<?> found = queue.find(name);
    return found == null && mayCreate(access, queue.queue().name())
        ? queue
            .getOrCreate(HostedQueue.subscriber(name, SubscriberOptions.TABLE.defaults()))
            .subscriber()
        : subscriber(queue, name);
  }

  /**
   * Applies a function to the subscriber of this name, and again to the reopened one if the
   * application has closed the subscriber. May block.
   */
  public <T> T withSubscriber(
      HostedQueue<?> queue, String subscriber, Function<HostedSubscriber<?>, T> work) {
    HostedSubscriber<?> found = subscriber(queue, subscriber);
    try {
      return work.apply(found);
    } catch (QueueClosedException e) {
      queue.forget(found);
      if (queue.queue().state() != QueueState.RUNNING) {
        throw e;
      }
      return work.apply(subscriber(queue, subscriber));
    }
  }
}
