package com.wookler.river.spring;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.utils.FirstFailure;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.Publisher;
import com.wookler.river.core.QueueOptions;
import com.wookler.river.core.QueueState;
import com.wookler.river.core.River;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.spring.RiverProperties.QueueProperties;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;

/**
 * Opens the queues of a context, and closes them when the context destroys this bean: after the
 * lifecycle has stopped the listeners, and after the beans that depend on it. So a context may be
 * stopped and started again with the same queues.
 */
final class OpenQueues implements RiverQueues, DisposableBean {
  private static final Logger LOG = LoggerFactory.getLogger(OpenQueues.class);

  private final RiverProperties properties;
  private final Function<TypedName<?>, MessageQueue<?>> opener;
  private final boolean sharesEnv;
  private final @Nullable River river;
  private final ReentrantLock opening = new ReentrantLock(); // held while a queue is opened

  @GuardedBy("opening")
  private boolean closed;

  private volatile Map<String, Opened> opened = Map.of(); // replaced under the lock

  /** A queue that is to be opened. */
  record TypedName<T>(String name, Class<T> type) {}

  /** An open queue; null: a river.xml has its converter, and knows the type. */
  private record Opened(MessageQueue<?> queue, @Nullable Class<?> type) {}

  /**
   * Opens the queues of the river.xml, if there is one.
   *
   * @param opener makes a queue out of the properties
   */
  OpenQueues(
      RiverProperties properties,
      String application,
      Function<TypedName<?>, MessageQueue<?>> opener) {
    this.properties = properties;
    this.opener = opener;
    this.river = properties.config() == null ? null : River.open(properties.config());
    this.sharesEnv = SharedEnv.acquire(application);
    if (river != null) {
      Set<String> names = new HashSet<>(river.queues().keySet());
      names.addAll(river.elsewhere());
      for (String name : names) {
        if (properties.queues().containsKey(name)) {
          destroy();
          throw new ConfigurationException(
              "queue '%s' is both in %s and in river.queues; remove one"
                  .formatted(name, properties.config()));
        }
      }
    }
  }

  @Override
  public <T> MessageQueue<T> open(String name, Class<T> type) {
    Opened found = lookup(name);
    if (found == null) {
      found = openNew(name, type);
    }
    if (found.type() != null && !found.type().equals(type)) {
      throw new ConfigurationException(
          ("queue '%s' is open for %s, not for %s; use one type, or name it in"
                  + " river.queues.%s.type")
              .formatted(name, found.type().getName(), type.getName(), name));
    }
    @SuppressWarnings("unchecked") // of a river.xml the caller knows it
    MessageQueue<T> queue = (MessageQueue<T>) found.queue();
    return queue;
  }

  /**
   * Returns the queue of this name, opened if it is not, for the type of the properties, else for
   * the one given.
   */
  MessageQueue<?> openAny(String name, Class<?> otherwise) {
    Opened found = lookup(name);
    return found == null ? openNew(name, otherwise).queue() : found.queue();
  }

  /**
   * Returns what publishes into the queue of this name, whichever engine keeps it, as {@link
   * #openAny} opens it.
   */
  Publisher<?> publisher(String name, Class<?> otherwise) {
    return river != null && river.elsewhere().contains(name)
        ? river.publisher(name)
        : openAny(name, otherwise).publisher();
  }

  /** Returns the type of an open queue's data; null if it is not known, as that of a river.xml. */
  @Nullable Class<?> typeOf(String name) {
    Opened found = lookup(name);
    return found == null ? null : found.type();
  }

  /** Returns the queue if it is open; none that another engine keeps. */
  private @Nullable Opened lookup(String name) {
    if (river != null && river.queues().get(name) != null) {
      return new Opened(river.queue(name), null);
    }
    return running(opened.get(name));
  }

  /** Returns null for a queue that was closed, or removed because it was not in use. */
  private static @Nullable Opened running(@Nullable Opened found) {
    return found == null || found.queue().state() == QueueState.STOPPED ? null : found;
  }

  private Opened openNew(String name, Class<?> type) {
    if (river != null && river.elsewhere().contains(name)) {
      throw new ConfigurationException(
          ("queue '%s' is kept by another engine (attribute engine in %s): RiverTemplate publishes"
                  + " into it, and reactors in that file take its messages, but no @RiverListener")
              .formatted(name, properties.config()));
    }
    opening.lock();
    try {
      if (closed) {
        throw new QueueClosedException("queue " + name + ": the application has ended");
      }
      Opened found = running(opened.get(name));
      if (found == null) {
        QueueProperties queue = properties.queue(name);
        Class<?> dataType = queue.type() == null ? type : queue.type();
        MessageQueue<?> made = opener.apply(new TypedName<>(name, dataType));
        found = new Opened(made, dataType);
        Map<String, Opened> more = new LinkedHashMap<>(opened);
        more.put(name, found);
        opened = Collections.unmodifiableMap(more);
        LOG.info("Opened queue {} for {}", name, dataType.getName());
      }
      return found;
    } finally {
      opening.unlock();
    }
  }

  @Override
  public Optional<MessageQueue<?>> find(String name) {
    return Optional.ofNullable(lookup(name)).map(Opened::queue);
  }

  @Override
  public Map<String, MessageQueue<?>> all() {
    Map<String, MessageQueue<?>> all = new LinkedHashMap<>();
    if (river != null) {
      all.putAll(river.queues());
    }
    opened.forEach((name, queue) -> all.put(name, queue.queue()));
    return all;
  }

  @Override
  public void destroy() {
    List<Opened> open;
    opening.lock();
    try {
      if (closed) {
        return;
      }
      closed = true;
      open = new ArrayList<>(opened.values());
    } finally {
      opening.unlock();
    }
    FirstFailure failure = new FirstFailure();
    Collections.reverse(open);
    open.forEach(each -> failure.run(each.queue()::close));
    if (river != null) {
      failure.run(river::close);
    }
    if (sharesEnv) {
      failure.run(SharedEnv::release);
    }
    failure.rethrow();
  }

  /** Opens a queue as the properties say. */
  static <T> MessageQueue<T> open(
      TypedName<T> queue,
      RiverProperties properties,
      RiverConverters converters,
      List<RiverQueueCustomizer> customizers) {
    String name = queue.name();
    MessageQueue.Builder<T> builder =
        MessageQueue.builder(name, converters.forType(queue.type()))
            .settings(
                OptionTexts.add(
                    OptionTexts.add(
                        QueueOptions.TABLE.defaults(),
                        QueueOptions.TABLE,
                        properties.options(),
                        "river.options"),
                    QueueOptions.TABLE,
                    properties.queue(name).options(),
                    "river.queues." + name + ".options"));
    builder.directory(properties.directory());
    customizers.forEach(each -> each.customize(name, builder));
    return builder.open();
  }
}
