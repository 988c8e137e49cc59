package com.wookler.river.examples.recipes;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Backoff;
import com.wookler.river.core.subscriber.DeadLetters;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.reactor.Reactor;
import com.wookler.river.reactor.processors.HttpProcessor;
import com.wookler.river.reactor.processors.RetryProcessor;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Sends events to a web hook of another party, which may be away, slow or wrong.
 *
 * <ul>
 *   <li>{@link #send} returns when the event is on the device, whatever the receiver does.
 *   <li>While the receiver is away a circuit breaker holds all events back, without an attempt.
 *   <li>An event that it fails to process is tried ten times, with growing pauses.
 *   <li>One that it refuses, by 400 and the like, becomes a dead letter at once.
 *   <li>Each request has an {@code Idempotency-Key}, the same at each repetition.
 * </ul>
 */
public final class WebhookSender implements AutoCloseable {
  private static final int ATTEMPTS = 10;
  private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
  private static final Duration LONGEST_PAUSE = Duration.ofMinutes(10);

  private final MessageQueue<String> queue;
  private final Subscriber<String> subscriber;
  private final Reactor<String> reactor;

  /**
   * Opens the queue and begins to send.
   *
   * @param directory where the queue is
   * @param hook where events are posted to, as JSON
   * @param pauseWhenAway how long to wait before one event is tried again, while the receiver is
   *     away
   */
  public WebhookSender(Path directory, URI hook, Duration pauseWhenAway) {
    queue =
        MessageQueue.builder("webhooks", MessageConverter.utf8())
            .directory(directory)
            .durability(Durability.DISK)
            .maxMessages(1_000_000) // then send throws QueueFullException
            .open();
    try {
      subscriber =
          queue.subscriber(
              SubscriberConfig.builder("sender")
                  .ack(true)
                  .maxDeliveries(ATTEMPTS)
                  .backoff(Backoff.exponential(FIRST_PAUSE, LONGEST_PAUSE))
                  .deadLetterAge(Duration.ofDays(30))
                  .build());
      reactor = start(hook, pauseWhenAway);
    } catch (Throwable e) {
      queue.close();
      throw e;
    }
  }

  private Reactor<String> start(URI hook, Duration pauseWhenAway) {
    HttpProcessor<String> http =
        HttpProcessor.<String>builder(
                hook, "", delivery -> delivery.data().getBytes(StandardCharsets.UTF_8))
            .header("Content-Type", "application/json")
            .timeout(Duration.ofSeconds(10))
            .build();
    return Reactor.builder(subscriber)
        .batchProcessor(
            "hook",
            RetryProcessor.aroundBatches(http)
                .name("the web hook")
                .failures(3)
                .waitWhenAway(pauseWhenAway)
                .build())
        .start();
  }

  /** Stores an event, which is sent soon; events of one customer have the same key. */
  public void send(String customer, String json) {
    queue.publisher().publish(Message.of(json).withKey(customer));
  }

  /** Returns how many events are not sent yet. */
  public long waiting() {
    return subscriber.stats().lag();
  }

  /** Returns the events that were refused, or failed ten times: to look at, and to redrive. */
  public DeadLetters<String> refused() {
    return subscriber.deadLetters();
  }

  /** Ends sending; what is not sent yet waits for the next start. */
  @Override
  public void close() {
    reactor.close();
    queue.close();
  }
}
