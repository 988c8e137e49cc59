package com.wookler.river.examples.demo;

import com.wookler.river.core.subscriber.SubscriberConfig;
import java.time.Duration;

/**
 * The subscribers of the demo, with different acknowledgement and speed.
 *
 * <p>The acknowledgement timeout of {@link #BILLING} is short, so that redeliveries happen during
 * the demo.
 */
enum DemoSubscriber {
  /**
   * Acknowledges, with three competing consumers; one delivery in a hundred is not acknowledged.
   */
  BILLING("billing", true, 3, 0),
  /** Consumes without acknowledgement. */
  AUDIT("audit", false, 1, 0),
  /** Consumes slowly, and lags the publishers. */
  ARCHIVE("archive", false, 1, 0.6);

  private static final Duration ACK_TIMEOUT = Duration.ofSeconds(2);
  private static final int WITHHOLD_EVERY = 100;
  private static final int WITHHOLD_AT = 7;

  final String label;
  final boolean acks;
  final int consumers;

  /** Its rate as a part of the publishers' rate; 0 for unlimited. */
  final double rateFactor;

  DemoSubscriber(String label, boolean acks, int consumers, double rateFactor) {
    this.label = label;
    this.acks = acks;
    this.consumers = consumers;
    this.rateFactor = rateFactor;
  }

  SubscriberConfig config() {
    return SubscriberConfig.builder(label).ack(acks).ackTimeout(ACK_TIMEOUT).build();
  }

  /** Returns whether this delivery is deliberately not acknowledged. */
  boolean withholds(int number, int attempt) {
    return acks && attempt == 1 && number % WITHHOLD_EVERY == WITHHOLD_AT;
  }
}
