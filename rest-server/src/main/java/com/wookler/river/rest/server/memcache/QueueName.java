package com.wookler.river.rest.server.memcache;

import com.wookler.river.core.subscriber.Position;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.time.Duration;

/**
 * What a client calls a queue: {@code orders}, or a child {@code orders+audit}, which gets
 * everything that {@code orders} gets from its first use on. In River both are subscribers of the
 * queue {@code orders}.
 *
 * @param queue name of the queue
 * @param subscriber name of the subscriber
 */
record QueueName(String queue, String subscriber) {
  /** The subscriber whose position reads without a child share. */
  static final String READER = "kestrel";

  /** As long as a message may be held: a read stays open while its connection does. */
  static final Duration LONGEST = Duration.ofHours(12);

  /** Returns whether the protocol allows this name. */
  static boolean isLegal(String name) {
    return !name.isEmpty()
        && !name.startsWith("+")
        && !name.endsWith("+")
        && name.indexOf('+') == name.lastIndexOf('+')
        && name.chars().noneMatch(c -> c == '.' || c == '/' || c == '~' || c <= ' ');
  }

  /** Returns the parts of a legal name. */
  static QueueName of(String name) {
    int plus = name.indexOf('+');
    return plus < 0
        ? new QueueName(name, READER)
        : new QueueName(name.substring(0, plus), name.substring(plus + 1));
  }

  boolean isChild() {
    return !subscriber.equals(READER);
  }

  /** Returns the name as clients know it. */
  String text() {
    return isChild() ? queue + "+" + subscriber : queue;
  }

  /** Returns the configuration with which the subscriber is created. */
  SubscriberConfig config() {
    return SubscriberConfig.builder(subscriber)
        .ack(true)
        .ackTimeout(LONGEST)
        .start(isChild() ? Position.latest() : Position.earliest())
        .build();
  }
}
