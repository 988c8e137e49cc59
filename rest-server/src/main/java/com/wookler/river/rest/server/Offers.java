package com.wookler.river.rest.server;

/**
 * Finds what a path names.
 *
 * @param catalog the queues
 * @param autoCreate whether publishing makes a queue, and taking a subscriber, that does not exist
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

  /** Likewise, made if the server is set to do so; blocks where it has to be made. */
  HostedQueue<?> queueOrNew(String name) {
    HostedQueue<?> found = catalog.find(name);
    if (found != null) {
      return found;
    }
    if (!autoCreate) {
      throw Problem.of(Problem.Kind.NOT_FOUND, "there is no queue '" + name + "'");
    }
    return catalog.make(name, QueueSettingsJson.NONE).queue();
  }

  /**
   * The subscriber of a name; may block where it has to be reopened.
   *
   * @throws Problem there is none
   */
  HostedSubscriber<?> subscriber(HostedQueue<?> queue, String name) {
    HostedSubscriber<?> found = queue.find(name);
    if (found == null) {
      throw Problem.of(
          Problem.Kind.NOT_FOUND,
          "queue " + queue.queue().name() + " has no subscriber '" + name + "'");
    }
    return found;
  }

  /** Likewise, made if the server is set to do so. */
  HostedSubscriber<?> subscriberOrNew(HostedQueue<?> queue, String name) {
    HostedSubscriber<?> found = queue.find(name);
    return found == null && autoCreate
        ? queue.make(SubscriberSettingsJson.NONE.toConfig(name))
        : subscriber(queue, name);
  }
}
