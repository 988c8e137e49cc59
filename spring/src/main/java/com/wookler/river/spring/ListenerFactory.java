package com.wookler.river.spring;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.core.subscriber.SubscriberOptions;
import com.wookler.river.reactor.ProcessorInterceptor;
import com.wookler.river.reactor.Reactor;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Makes the reactors of listeners. */
final class ListenerFactory {
  private final OpenQueues queues;
  private final RiverProperties properties;
  private final List<ProcessorInterceptor<?>> interceptors;
  private final List<RiverListenerCustomizer> customizers;

  ListenerFactory(
      OpenQueues queues,
      RiverProperties properties,
      List<ProcessorInterceptor<?>> interceptors,
      List<RiverListenerCustomizer> customizers) {
    this.queues = queues;
    this.properties = properties;
    this.interceptors = interceptors;
    this.customizers = customizers;
  }

  /**
   * Opens the queue of a listener and its subscriber, and starts a reactor.
   *
   * @throws ConfigurationException the settings, or the type of the data, do not fit
   */
  <M> Reactor<M> start(ListenerSettings settings, ListenerMethod method) {
    @SuppressWarnings("unchecked") // the method is checked instead
    MessageQueue<M> queue =
        (MessageQueue<M>) queues.openAny(settings.queue(), method.type().orElse(byte[].class));
    method.check(settings.queue(), queues.typeOf(settings.queue()));
    Subscriber<M> subscriber = subscriber(queue, settings);
    if (!subscriber.config().ackRequired()) {
      throw new ConfigurationException(
          ("subscriber %s of queue %s does not acknowledge, so that its listener would lose"
                  + " messages that fail; set subscriber.ack.required")
              .formatted(subscriber.name(), settings.queue()));
    }
    Reactor.Builder<M> builder = Reactor.builder(subscriber).threads(settings.reading().threads());
    Map<String, String> more = properties.queue(settings.queue()).subscriber(settings.subscriber());
    if (settings.reading().order() != null || more.containsKey(SubscriberOptions.ORDER.name())) {
      builder.orderBy(subscriber.config().order());
    }
    if (settings.reading().batchSize() > 0) {
      builder.batchSize(
          more.containsKey(SubscriberOptions.BATCH_SIZE.name())
              ? subscriber.config().batchSize()
              : settings.reading().batchSize());
    }
    customizers.forEach(
        each -> each.customize(settings.queue(), settings.subscriber(), untyped(builder)));
    interceptors.forEach(each -> builder.around(around(each)));
    if (settings.reading().batch()) {
      builder.batchProcessor(settings.source(), method::call);
    } else {
      builder.processor(settings.source(), method::call);
    }
    return builder.start();
  }

  @SuppressWarnings("unchecked") // a customizer knows no type of data
  private static Reactor.Builder<Object> untyped(Reactor.Builder<?> builder) {
    return (Reactor.Builder<Object>) builder;
  }

  @SuppressWarnings("unchecked") // a bean that is around all listeners knows no type of data
  private static <M> ProcessorInterceptor<M> around(ProcessorInterceptor<?> bean) {
    return (ProcessorInterceptor<M>) bean;
  }

  /** Takes a subscriber that a river.xml has as it is, unless the listener says otherwise. */
  private <M> Subscriber<M> subscriber(MessageQueue<M> queue, ListenerSettings settings) {
    Map<String, String> more = properties.queue(settings.queue()).subscriber(settings.subscriber());
    if (settings.options().isEmpty() && more.isEmpty()) {
      Optional<Subscriber<M>> open =
          queue.subscribers().stream()
              .filter(each -> each.name().equals(settings.subscriber()))
              .findFirst();
      if (open.isPresent()) {
        return open.get();
      }
    }
    SubscriberConfig config = settings.config(more);
    return queue.subscriber(config);
  }
}
