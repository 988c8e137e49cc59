package com.wookler.river.benchmarks.programs;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** In this JVM, with default settings. */
final class EmbeddedQueue implements SpamQueue {
  private final MessageQueue<byte[]> queue;
  private final Subscriber<byte[]> subscriber;

  private record Held(Delivery<byte[]> delivery) implements Item {
    @Override
    public byte[] data() {
      return delivery.data();
    }
  }

  EmbeddedQueue(String name, Path directory) {
    queue = MessageQueue.builder(name, MessageConverter.bytes()).directory(directory).open();
    subscriber =
        queue.subscriber(SubscriberConfig.builder(SpamQueues.SUBSCRIBER).ack(true).build());
  }

  @Override
  public String name() {
    return queue.name();
  }

  @Override
  public void put(byte[] item) {
    queue.publisher().publish(item);
  }

  @Override
  public void putAll(List<byte[]> items) {
    queue.publisher().publishAll(items);
  }

  @Override
  public @Nullable Item take(Duration wait) throws InterruptedException {
    Delivery<byte[]> next = wait.isZero() ? subscriber.next() : subscriber.next(wait);
    return next == null ? null : new Held(next);
  }

  @Override
  public List<Item> take(int max, Duration wait) throws InterruptedException {
    return subscriber.batch(max, wait).stream().<Item>map(Held::new).toList();
  }

  private static Delivery<byte[]> delivery(Item item) {
    return ((Held) item).delivery;
  }

  @Override
  public void ack(List<Item> items) {
    if (items.size() == 1) {
      delivery(items.get(0)).ack();
    } else {
      subscriber.ack(items.stream().map(EmbeddedQueue::delivery).toList());
    }
  }

  @Override
  public void release(Item item) {
    delivery(item).release();
  }

  @Override
  public void purge() {
    subscriber.purge();
  }

  @Override
  public long waiting() {
    return subscriber.stats().lag();
  }

  @Override
  public long bytes() {
    return queue.stats().bytes();
  }

  @Override
  public void close() {
    queue.close();
  }
}
