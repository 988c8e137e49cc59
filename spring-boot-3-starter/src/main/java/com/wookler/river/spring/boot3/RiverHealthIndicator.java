package com.wookler.river.spring.boot3;

import com.wookler.river.spring.RiverHealth;
import com.wookler.river.spring.RiverQueues;
import org.springframework.boot.actuate.health.AbstractHealthIndicator;
import org.springframework.boot.actuate.health.Health;

/** Is DOWN when a queue has failed, and OUT_OF_SERVICE when one refuses for lack of disk space. */
public final class RiverHealthIndicator extends AbstractHealthIndicator {
  private final RiverQueues queues;

  /** Looks at these queues. */
  public RiverHealthIndicator(RiverQueues queues) {
    super("The queues cannot be looked at");
    this.queues = queues;
  }

  @Override
  protected void doHealthCheck(Health.Builder builder) {
    RiverHealth health = RiverHealth.of(queues);
    builder.status(health.status().name()).withDetail("queues", health.queues());
  }
}
