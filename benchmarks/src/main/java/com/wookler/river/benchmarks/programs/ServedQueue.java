package com.wookler.river.benchmarks.programs;

import com.wookler.river.rest.client.ConflictException;
import com.wookler.river.rest.client.NewMessage;
import com.wookler.river.rest.client.QueueSettings;
import com.wookler.river.rest.client.RemoteDelivery;
import com.wookler.river.rest.client.RemoteQueue;
import com.wookler.river.rest.client.RemoteSubscriber;
import com.wookler.river.rest.client.RiverClient;
import com.wookler.river.rest.client.SubscriberSettings;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** At a server, which makes it if there is none; it stays there. */
final class ServedQueue implements SpamQueue {
  private final RiverClient client;
  private final RemoteQueue queue;
  private final RemoteSubscriber subscriber;

  private record Held(RemoteDelivery delivery) implements Item {
    @Override
    public byte[] data() {
      return delivery.data();
    }
  }

  /** Closes the client with itself. */
  ServedQueue(String name, RiverClient client) {
    this.client = client;
    queue = client.queue(name);
    subscriber = client.subscriber(name, SpamQueues.SUBSCRIBER);
    try {
      queue.create(QueueSettings.builder().build());
      subscriber.create(SubscriberSettings.builder().build());
    } catch (ConflictException e) {
      // it is there, with settings of its own
    } catch (RuntimeException e) {
      client.close();
      throw e;
    }
  }

  @Override
  public String name() {
    return queue.name();
  }

  @Override
  public void put(byte[] item) {
    queue.publish(item);
  }

  @Override
  public void putAll(List<byte[]> items) {
    queue.publishAll(items.stream().map(NewMessage::of).toList());
  }

  @Override
  public @Nullable Item take(Duration wait) throws InterruptedException {
    RemoteDelivery next = wait.isZero() ? subscriber.next() : subscriber.next(wait);
    return next == null ? null : new Held(next);
  }

  @Override
  public List<Item> take(int max, Duration wait) throws InterruptedException {
    return subscriber.batch(max, wait).stream().<Item>map(Held::new).toList();
  }

  @Override
  public void ack(List<Item> items) {
    subscriber.ack(items.stream().map(item -> ((Held) item).delivery).toList());
  }

  @Override
  public void release(Item item) {
    subscriber.release(List.of(((Held) item).delivery));
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
    return queue.info().stats().bytes();
  }

  @Override
  public void close() {
    client.close();
  }
}
