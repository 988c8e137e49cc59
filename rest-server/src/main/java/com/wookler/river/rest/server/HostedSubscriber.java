package com.wookler.river.rest.server;

import com.wookler.river.core.subscriber.DeadLetters;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A subscriber of a queue that the server offers, with what it hands over as the contract shows it.
 *
 * @param queue the queue's name
 * @param subscriber itself
 * @param json how the queue's messages are written
 */
record HostedSubscriber<M>(String queue, Subscriber<M> subscriber, MessageJson<M> json) {

  /** Takes what is there, waiting for the first. */
  CompletableFuture<Buffer> take(int max, Duration wait) {
    return subscriber.batchAsync(max, wait).thenApply(json::deliveries);
  }

  /** What would be taken next. */
  Buffer peek(int max) {
    return json.messages(subscriber.peek(max));
  }

  /** The oldest dead letters. */
  Buffer dead(int max) {
    DeadLetters<M> letters = subscriber.deadLetters();
    List<Delivery<M>> oldest = letters.peek(max);
    return json.messages(letters.size(), oldest);
  }
}
