package com.wookler.river.spring;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.PublishInterceptor;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.reactor.ProcessorInterceptor;
import com.wookler.river.reactor.Reactor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.LazyInitializationExcludeFilter;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/** The beans of River in an application of Spring Boot; each steps back for one of its own. */
@AutoConfiguration
@ConditionalOnClass({MessageQueue.class, Reactor.class})
@ConditionalOnProperty(prefix = "river", name = "enabled", matchIfMissing = true)
@EnableConfigurationProperties(RiverProperties.class)
public class RiverAutoConfiguration {
  private static final Logger LOG = LoggerFactory.getLogger(RiverAutoConfiguration.class);
  private static final String INTERCEPTORS = "riverInterceptors";
  static final String OBSERVED_PUBLISHES = "riverObservedPublishes";

  /** Called by Spring. */
  public RiverAutoConfiguration() {}

  @Bean
  @ConditionalOnMissingBean
  RiverConverters riverConverters() {
    return RiverAutoConfiguration::converter;
  }

  @SuppressWarnings("unchecked") // each is the converter of that class
  private static <T> MessageConverter<T> converter(Class<T> type) {
    if (type == String.class) {
      return (MessageConverter<T>) MessageConverter.utf8();
    }
    return type == byte[].class
        ? (MessageConverter<T>) MessageConverter.bytes()
        : MessageConverter.json(type);
  }

  @Bean
  OpenQueues riverQueues(
      RiverProperties properties,
      Environment environment,
      RiverConverters converters,
      ObjectProvider<RiverQueueCustomizer> customizers,
      ListableBeanFactory beans) {
    if (properties.config() != null) {
      warnOfBeansWithoutEffect(beans);
    }
    return new OpenQueues(
        properties,
        environment.getProperty("spring.application.name", "river"),
        queue ->
            OpenQueues.open(queue, properties, converters, customizers.orderedStream().toList()));
  }

  private static void warnOfBeansWithoutEffect(ListableBeanFactory beans) {
    List<String> names = new ArrayList<>();
    for (Class<?> type : List.of(PublishInterceptor.class, RiverQueueCustomizer.class)) {
      names.addAll(Arrays.asList(beans.getBeanNamesForType(type, true, false)));
    }
    names.removeAll(List.of(INTERCEPTORS, OBSERVED_PUBLISHES));
    if (!names.isEmpty()) {
      LOG.warn(
          "Beans {} change no queue of river.config, only those that properties configure; name"
              + " interceptors in that file",
          names);
    }
  }

  /** Passes beans that see publishes to each queue that is not in river.config. */
  @Bean(INTERCEPTORS)
  RiverQueueCustomizer riverInterceptors(ObjectProvider<PublishInterceptor<?>> interceptors) {
    return (queue, builder) ->
        interceptors.orderedStream().forEach(each -> intercept(builder, each));
  }

  @SuppressWarnings("unchecked") // a bean that sees all queues knows no type of data
  private static <M> void intercept(
      MessageQueue.Builder<M> builder, PublishInterceptor<?> interceptor) {
    builder.interceptor((PublishInterceptor<M>) interceptor);
  }

  @Bean
  @ConditionalOnMissingBean
  RiverTemplate riverTemplate(OpenQueues queues) {
    return new QueueTemplate(queues);
  }

  @Bean
  RiverListeners riverListeners(
      ApplicationContext context,
      RiverProperties properties,
      ObjectProvider<OpenQueues> queues,
      ObjectProvider<ProcessorInterceptor<?>> interceptors,
      ObjectProvider<RiverListenerCustomizer> customizers) {
    return new RiverListeners(
        context,
        () ->
            new ListenerFactory(
                queues.getObject(),
                properties,
                interceptors.orderedStream().toList(),
                customizers.orderedStream().toList()),
        properties.stopTimeout());
  }

  @Bean
  static RiverListenerPostProcessor riverListenerPostProcessor(
      ObjectProvider<RiverListeners> listeners) {
    return new RiverListenerPostProcessor(listeners);
  }

  /** Makes beans with listeners at the start, where others wait until they are needed. */
  @Bean
  static LazyInitializationExcludeFilter riverListenersAreNotLazy() {
    return (name, definition, type) -> RiverListenerPostProcessor.hasListener(type);
  }
}
