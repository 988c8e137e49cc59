package com.wookler.river.spring;

import com.wookler.river.common.Env;
import com.wookler.river.common.micrometer.RiverMeterBinder;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** River's counters as meters of all registries, which Spring Boot binds; where Micrometer is. */
@AutoConfiguration(after = RiverAutoConfiguration.class)
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean(RiverQueues.class)
public class RiverMetricsAutoConfiguration {
  /** Called by Spring. */
  public RiverMetricsAutoConfiguration() {}

  /** Closed before the queues, and so before the environment, because it depends on them. */
  @Bean
  @ConditionalOnMissingBean
  RiverMeterBinder riverMeterBinder(RiverQueues queues) {
    return new RiverMeterBinder(Env.get().monitor());
  }
}
