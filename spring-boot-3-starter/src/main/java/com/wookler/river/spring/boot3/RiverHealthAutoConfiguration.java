package com.wookler.river.spring.boot3;

import com.wookler.river.spring.RiverAutoConfiguration;
import com.wookler.river.spring.RiverQueues;
import org.springframework.boot.actuate.autoconfigure.health.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** The health indicator {@code river}, in applications that have health indicators. */
@AutoConfiguration(after = RiverAutoConfiguration.class)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBean(RiverQueues.class)
public class RiverHealthAutoConfiguration {
  /** Called by Spring. */
  public RiverHealthAutoConfiguration() {}

  @Bean
  @ConditionalOnEnabledHealthIndicator("river") // here, because it is not there without health
  @ConditionalOnMissingBean(name = "riverHealthIndicator")
  RiverHealthIndicator riverHealthIndicator(RiverQueues queues) {
    return new RiverHealthIndicator(queues);
  }
}
