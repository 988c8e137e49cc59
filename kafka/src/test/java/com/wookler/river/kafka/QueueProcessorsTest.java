package com.wookler.river.kafka;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.DeadLetters;
import com.wookler.river.core.subscriber.Order;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.reactor.DeliverySource;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** The processors of {@link ProcessorContract} on a queue. */
class QueueProcessorsTest extends ProcessorContract {
  @TempDir Path directory;

  private MessageQueue<String> queue;
  private Subscriber<String> subscriber;

  @BeforeEach
  void open() {
    queue = MessageQueue.builder("orders", MessageConverter.utf8()).directory(directory).open();
    subscriber =
        queue.subscriber(SubscriberConfig.builder("all").ack(true).order(Order.KEY).build());
  }

  @AfterEach
  void close() {
    queue.close();
  }

  @Override
  DeliverySource<String> source(String unique) {
    return DeliverySource.of(subscriber);
  }

  @Override
  void publish(String key, List<String> texts) {
    for (String text : texts) {
      Message<String> message = Message.of(text);
      queue.publisher().publish(key == null ? message : message.withKey(key));
    }
  }

  @Override
  Map<String, String> deadLetters() {
    Map<String, String> letters = new HashMap<>();
    subscriber
        .deadLetters()
        .peek(100)
        .forEach(
            letter ->
                letters.put(
                    letter.data(),
                    new String(letter.headers().get(DeadLetters.REASON), StandardCharsets.UTF_8)));
    return letters;
  }
}
