package com.wookler.river.rest.server;

import com.wookler.river.core.QueueOptions;
import com.wookler.river.core.QueueState;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.core.subscriber.SubscriberOptions;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Finds what a path names.
 *
 * @param catalog the queues
 * @param autoCreate whether publishing makes a queue, and taking a subscriber, that does not exist;
 *     where there are keys, for those who may administer the queue
 */
record Offers(QueueCatalog catalog, boolean autoCreate) {
  /**
   * The queue of the path.
   *
   * @throws Problem there is none
   */
  HostedQueue<?> queue(Call call) {
    String name = call.name("queue");
    HostedQueue<?> found = catalog.find(name);
    if (found == null) {
      throw Problem.of(Problem.Kind.NOT_FOUND, "there is no queue '" + name + "'");
    }
    return found;
  }

  private boolean makes(Call call) {
    return autoCreate && call.may(Right.ADMIN, call.name("queue"));
  }

  /** Likewise, made if the server is set to do so; blocks where it has to be made. */
  HostedQueue<?> queueOrNew(Call call) {
    String name = call.name("queue");
    HostedQueue<?> found = catalog.find(name);
    return found == null && makes(call)
        ? catalog.make(name, QueueOptions.TABLE.defaults()).queue()
        : queue(call);
  }

  /**
   * The subscriber of the path; may block where it has to be reopened.
   *
   * @throws Problem there is none
   */
  HostedSubscriber<?> subscriber(Call call, HostedQueue<?> queue) {
    String name = call.name("subscriber");
    HostedSubscriber<?> found = queue.find(name);
    if (found == null) {
      throw Problem.of(
          Problem.Kind.NOT_FOUND,
          "queue " + queue.queue().name() + " has no subscriber '" + name + "'; PUT makes it");
    }
    return found;
  }

  /** A queue, and the subscriber of it from which a request takes. */
  record Taken(HostedQueue<?> queue, HostedSubscriber<?> subscriber) {}

  /**
   * Returns the queue and subscriber of the path; may block.
   *
   * @param create what to make of them if they do not exist, and the server is set to do so: true
   *     both, false nothing, null the subscriber only, as a queue whose name is mistyped would
   *     never have a message
   * @throws Problem there is none
   */
  Taken taken(Call call, @Nullable Boolean create) {
    HostedQueue<?> queue = Boolean.TRUE.equals(create) ? queueOrNew(call) : queue(call);
    boolean exists = Boolean.FALSE.equals(create);
    return new Taken(queue, exists ? subscriber(call, queue) : subscriberOrNew(call, queue));
  }

  private HostedSubscriber<?> subscriberOrNew(Call call, HostedQueue<?> queue) {
    String name = call.name("subscriber");
    HostedSubscriber<?> found = queue.find(name);
    return found == null && makes(call)
        ? queue.make(HostedQueue.subscriber(name, SubscriberOptions.TABLE.defaults())).subscriber()
        : subscriber(call, queue);
  }

  /**
   * Does something with the subscriber of the path, which the application may have closed since it
   * was opened: then with the one that is opened anew. May block.
   */
  <T> T with(Call call, HostedQueue<?> queue, Function<HostedSubscriber<?>, T> work) {
    HostedSubscriber<?> found = subscriber(call, queue);
    try {
      return work.apply(found);
    } catch (QueueClosedException e) {
      queue.forget(found);
      if (queue.queue().state() != QueueState.RUNNING) {
        throw e;
      }
      return work.apply(subscriber(call, queue));
    }
  }
}
