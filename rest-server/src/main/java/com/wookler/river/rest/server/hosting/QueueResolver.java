package com.wookler.river.rest.server.hosting;

import com.wookler.river.core.QueueOptions;
import com.wookler.river.core.QueueState;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.core.subscriber.SubscriberOptions;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Finds the queues and subscribers that requests name.
 *
 * @param catalog the queues
 * @param autoCreate whether publishing makes a queue, and taking a subscriber, that does not exist;
 *     where there are keys, for those who may administer the queue
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

  private boolean makes(Access access, String queue) {
    return autoCreate && access.allows(Right.ADMIN, queue);
  }

  /**
   * Returns the queue of this name, made if the server is set to do so; blocks where it has to be
   * made.
   *
   * @throws RequestException there is none
   */
  public HostedQueue<?> queueOrNew(Access access, String name) {
    HostedQueue<?> found = catalog.find(name);
    return found == null && makes(access, name)
        ? catalog.make(name, QueueOptions.TABLE.defaults()).queue()
        : queue(name);
  }

  /**
   * Returns the subscriber of this name; may block where it has to be reopened.
   *
   * @throws RequestException there is none
   */
  public HostedSubscriber<?> subscriber(HostedQueue<?> queue, String name) {
    HostedSubscriber<?> found = queue.find(name);
    if (found == null) {
      throw RequestException.of(
          RequestException.Reason.NOT_FOUND,
          "queue " + queue.queue().name() + " has no subscriber '" + name + "'; PUT makes it");
    }
    return found;
  }

  /** A queue, and the subscriber of it from which a request takes. */
  public record Taken(HostedQueue<?> queue, HostedSubscriber<?> subscriber) {}

  /**
   * Returns the queue and subscriber of these names; may block.
   *
   * @param create what to make of them if they do not exist, and the server is set to do so: true
   *     both, false nothing, null the subscriber only, as a queue whose name is mistyped would
   *     never have a message
   * @throws RequestException there is none
   */
  public Taken taken(Access access, String queue, String subscriber, @Nullable Boolean create) {
    HostedQueue<?> found = Boolean.TRUE.equals(create) ? queueOrNew(access, queue) : queue(queue);
    boolean exists = Boolean.FALSE.equals(create);
    return new Taken(
        found, exists ? subscriber(found, subscriber) : subscriberOrNew(access, found, subscriber));
  }

  private HostedSubscriber<?> subscriberOrNew(Access access, HostedQueue<?> queue, String name) {
    HostedSubscriber<?> found = queue.find(name);
    return found == null && makes(access, queue.queue().name())
        ? queue.make(HostedQueue.subscriber(name, SubscriberOptions.TABLE.defaults())).subscriber()
        : subscriber(queue, name);
  }

  /**
   * Does something with the subscriber of this name, which the application may have closed since it
   * was opened: then with the one that is opened anew. May block.
   */
  public <T> T with(
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
