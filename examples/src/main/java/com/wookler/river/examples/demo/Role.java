package com.wookler.river.examples.demo;

import com.wookler.river.core.subscriber.SubscriberConfig;
import java.time.Duration;

/**
 * The demo's subscribers. They differ in what they promise the queue and in how fast they are.
 *
 * <p>The acknowledgement timeout of {@link #BILLING} is short, so that what is not acknowledged
 * comes again while one watches.
 */
enum Role {
  /** Acknowledges, with three consumers in competition; one delivery in a hundred is withheld. */
  BILLING("billing", true, 3, 0),
  /** Takes everything at once, without acknowledgement. */
  AUDIT("audit", false, 1, 0),
  /** Slow: falls behind while the publishers are at work. */
  ARCHIVE("archive", false, 1, 0.6);

  private static final Duration ACK_TIMEOUT = Duration.ofSeconds(2);
  private static final int WITHHOLD_EVERY = 100;
  private static final int WITHHOLD_AT = 7;

  final String label;
  final boolean acks;
  final int consumers;

  /** Its speed as a part of the publishers' rate; 0 for as fast as it goes. */
  final double pace;

  Role(String label, boolean acks, int consumers, double pace) {
    this.label = label;
    this.acks = acks;
    this.consumers = consumers;
    this.pace = pace;
  }

  SubscriberConfig config() {
    return SubscriberConfig.builder(label).ack(acks).ackTimeout(ACK_TIMEOUT).build();
  }

  /** Whether this delivery is deliberately not acknowledged. */
  boolean withholds(int number, int attempt) {
    return acks && attempt == 1 && number % WITHHOLD_EVERY == WITHHOLD_AT;
  }
}
