package com.wookler.river.spring;

import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.endpoint.expose.EndpointExposure;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** The actuator endpoint, in applications that have the actuator and expose it. */
@AutoConfiguration(after = RiverAutoConfiguration.class)
@ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
@ConditionalOnBean(RiverQueues.class)
public class RiverEndpointAutoConfiguration {
  /** Called by Spring. */
  public RiverEndpointAutoConfiguration() {}

  @Bean
  @ConditionalOnMissingBean
  @ConditionalOnAvailableEndpoint(endpoint = RiverEndpoint.class)
  RiverEndpoint riverEndpoint(RiverQueues queues) {
    return new RiverEndpoint(queues);
  }

  @Bean
  @ConditionalOnMissingBean
  @ConditionalOnBean(RiverEndpoint.class)
  @ConditionalOnAvailableEndpoint(endpoint = RiverEndpoint.class, exposure = EndpointExposure.WEB)
  RiverEndpointWeb riverEndpointWeb(RiverEndpoint endpoint) {
    return new RiverEndpointWeb(endpoint);
  }
}
