package com.wookler.river.spring;

import com.wookler.river.core.PublishInterceptor;
import io.micrometer.observation.ObservationRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * Observations of publishes and listeners, where the application has a registry for them: with a
 * tracer, a message takes the publisher's trace to the listener's thread.
 */
@AutoConfiguration(
    after = RiverAutoConfiguration.class,
    afterName = {
      "org.springframework.boot.actuate.autoconfigure.observation.ObservationAutoConfiguration",
      "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration"
    })
@ConditionalOnClass(ObservationRegistry.class)
@ConditionalOnBean({RiverQueues.class, ObservationRegistry.class})
public class RiverObservationAutoConfiguration {
  /** Called by Spring. */
  public RiverObservationAutoConfiguration() {}

  @Bean(RiverAutoConfiguration.OBSERVED_PUBLISHES)
  PublishInterceptor<Object> riverObservedPublishes(ObservationRegistry registry) {
    return new ObservedPublishes(registry);
  }

  /** Around all others, so that they see the trace. */
  @Bean
  @Order(Ordered.HIGHEST_PRECEDENCE)
  RiverListenerCustomizer riverObservedListeners(ObservationRegistry registry) {
    return (queue, subscriber, builder) ->
        builder.around(new ObservedCalls(registry, queue, subscriber));
  }
}
