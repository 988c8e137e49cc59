package com.wookler.river.rest.server.memcache;

import com.wookler.river.core.QueueOptions;
import com.wookler.river.core.QueueState;
import com.wookler.river.rest.server.hosting.Access;
import com.wookler.river.rest.server.hosting.HostedQueue;
import com.wookler.river.rest.server.hosting.HostedSubscriber;
import com.wookler.river.rest.server.hosting.QueueCatalog;
import com.wookler.river.rest.server.hosting.QueueResolver;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds the subscribers behind the names of clients, and creates what is named for the first time.
 *
 * @param queues the hosted queues
 * @param figures counts the queues that are created
 * @param status may refuse to create them
 */
record Readers(QueueResolver queues, Figures figures, ServerStatus status) {
  /** Returns the queue of a name, which is created with its reader if it does not exist. Blocks. */
  HostedQueue<?> created(QueueName name) {
    HostedQueue<?> known = queues.catalog().find(name.queue());
    if (known != null) {
      return known;
    }
    status.checkCreates(name);
    HostedQueue<?> queue = queues.getOrCreateQueue(Access.ALL, name.queue());
    figures.created.increment();
    keepUnread(queue, name);
    return queue;
  }

  /**
   * Returns the subscriber of a name, which is created if it does not exist; null if the queue has
   * none, because it only forwards. Blocks.
   */
  @Nullable HostedSubscriber<?> of(QueueName name) {
    HostedQueue<?> queue = created(name);
    if (queue.queue().subscriberNames().isEmpty()) {
      keepUnread(queue, name); // also if a child is the first to read
    }
    return reader(queue, name);
  }

  /** Returns the queues that an application has not closed. */
  static List<HostedQueue<?>> open(QueueCatalog catalog) {
    return catalog.all().stream().filter(Readers::isOpen).toList();
  }

  private static boolean isOpen(HostedQueue<?> queue) {
    QueueState state = queue.queue().state();
    return state != QueueState.STOPPING && state != QueueState.STOPPED;
  }

  private static void keepUnread(HostedQueue<?> queue, QueueName name) {
    var unused = reader(queue, new QueueName(name.queue(), QueueName.READER));
  }

  /**
   * Returns the subscriber of a name, which is created if the queue does not have it; null if the
   * queue only forwards. Blocks.
   */
  static @Nullable HostedSubscriber<?> reader(HostedQueue<?> queue, QueueName name) {
    HostedSubscriber<?> known = queue.find(name.subscriber());
    return known == null && !queue.queue().settings().get(QueueOptions.FANOUT_ONLY)
        ? queue.getOrCreate(name.config()).subscriber()
        : known;
  }
}
