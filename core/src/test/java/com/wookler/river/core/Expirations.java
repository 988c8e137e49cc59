package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.core.subscriber.DeadLetters;
import com.wookler.river.core.subscriber.SubscriberOptions;
import java.time.Duration;

/** What is not in use expires, and nothing else does: subscribers, and the queue at the end. */
final class Expirations {
  private static final Duration UNUSED = Duration.ofMinutes(1);
  private static final Duration MORE = Duration.ofSeconds(61);

  private final ModelledQueue queue;

  Expirations(ModelledQueue queue) {
    this.queue = queue;
  }

  /** A subscriber is removed that is not in use for so long; one that has a message is kept. */
  void expire(SubscriberModel model) {
    queue.bury(model);
    if (queue.models().size() == 1) {
      return; // what it has not completed is looked for at the end
    }
    String name = model.config().name();
    expiresAfter(name, UNUSED);
    queue.advance(MORE);
    model.expire(queue.millis());
    if (model.inFlight() > 0) {
      assertThat(queue.queue().subscriberNames()).contains(name);
      expiresAfter(name, Duration.ZERO);
      return;
    }
    ModelledQueue.eventually(
        () -> {
          queue.advance(Duration.ofSeconds(2));
          assertThat(queue.queue().subscriberNames()).doesNotContain(name);
        });
    queue.removed(model);
  }

  private void expiresAfter(String subscriber, Duration time) {
    queue
        .queue()
        .reconfigure(to -> to.subscriber(subscriber, SubscriberOptions.EXPIRES_AFTER, time));
  }

  /** A queue with nothing left is deleted, once it has no dead letters either. */
  void expireQueue() {
    boolean hasLetters = false;
    for (SubscriberModel model : queue.models()) {
      assertThat(queue.subscriber(model).next()).isNull();
      hasLetters |= queue.subscriber(model).deadLetters().size() > 0;
    }
    queue.queue().reconfigure(to -> to.set(QueueOptions.EXPIRES_AFTER, UNUSED));
    if (hasLetters) {
      ModelledQueue.eventually(
          () -> {
            queue.time.advance(Duration.ofSeconds(2));
            assertThat(queue.queue().stats().unusedSeconds()).isGreaterThan(130);
          });
      for (SubscriberModel model : queue.models()) {
        DeadLetters<byte[]> letters = queue.subscriber(model).deadLetters();
        letters.purge();
      }
    }
    ModelledQueue.eventually(
        () -> {
          queue.time.advance(Duration.ofSeconds(2));
          assertThat(queue.queue().state()).isEqualTo(QueueState.STOPPED);
        });
    assertThat(queue.ownDirectory()).doesNotExist();
  }
}
