package com.wookler.river.reactor;

import static org.awaitility.Awaitility.await;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A queue, and a subscriber whose deliveries stay with a reactor for as long as a test takes. */
abstract class ReactorFixture {
  static final Duration SOON = Duration.ofSeconds(60);

  @TempDir Path directory;
  MessageQueue<String> queue;
  Subscriber<String> subscriber;
  final List<String> seen = Collections.synchronizedList(new ArrayList<>());

  @BeforeEach
  void open() {
    queue = MessageQueue.builder("orders", MessageConverter.utf8()).directory(directory).open();
    subscriber = subscriber("store");
  }

  @AfterEach
  void close() {
    queue.close();
  }

  final Subscriber<String> subscriber(String name) {
    return queue.subscriber(
        SubscriberConfig.builder(name).ack(true).ackTimeout(Duration.ofMinutes(10)).build());
  }

  /** Done with it. */
  final ProcessResult<String> see(Delivery<String> delivery) {
    seen.add(delivery.data());
    return ProcessResult.done();
  }

  final void awaitDrained() {
    awaitDrained(subscriber);
  }

  static void awaitDrained(Subscriber<String> subscriber) {
    await().until(() -> subscriber.stats().lag() == 0);
  }
}
