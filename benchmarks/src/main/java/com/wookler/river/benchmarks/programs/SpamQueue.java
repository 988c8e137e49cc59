package com.wookler.river.benchmarks.programs;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.rest.client.ConflictException;
import com.wookler.river.rest.client.NewMessage;
import com.wookler.river.rest.client.QueueSettings;
import com.wookler.river.rest.client.RemoteDelivery;
import com.wookler.river.rest.client.RemoteQueue;
import com.wookler.river.rest.client.RemoteSubscriber;
import com.wookler.river.rest.client.RiverClient;
import com.wookler.river.rest.client.SubscriberSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * A queue of a program, in this JVM or at a server, with default settings and the one subscriber
 * that all clients share. Thread-safe.
 */
interface SpamQueue extends AutoCloseable {
  /** The subscriber of all clients. */
  String SUBSCRIBER = "clients";

  /**
   * What one call has taken.
   *
   * @param data of each item; none if there was none until the time was over
   * @param ack acknowledges all of them
   * @param release gives all of them to other clients
   */
  record Taken(List<byte[]> data, Runnable ack, Runnable release) {
    static final Taken NOTHING = new Taken(List.of(), () -> {}, () -> {});
  }

  String name();

  void put(byte[] item);

  void putAll(List<byte[]> items);

  /** Takes one item, or up to {@code max}. */
  Taken take(int max, Duration wait) throws InterruptedException;

  /** Acknowledges everything that is there. */
  void purge();

  /** Returns the number of items that are not acknowledged. */
  long waiting();

  /** Returns the size of the log. */
  long bytes();

  @Override
  void close();

  /** Opens a queue in this JVM. */
  static SpamQueue embedded(String name, Path directory) {
    MessageQueue<byte[]> queue =
        MessageQueue.builder(name, MessageConverter.bytes()).directory(directory).open();
    return new Embedded(
        queue, queue.subscriber(SubscriberConfig.builder(SUBSCRIBER).ack(true).build()));
  }

  /** Opens a queue at a server, which makes it if there is none; it stays there. */
  static SpamQueue served(String name, RiverClient client) {
    RemoteQueue queue = client.queue(name);
    RemoteSubscriber subscriber = client.subscriber(name, SUBSCRIBER);
    try {
      queue.create(QueueSettings.builder().build());
      subscriber.create(SubscriberSettings.builder().build());
    } catch (ConflictException e) {
      // it is there, with settings of its own
    } catch (RuntimeException e) {
      client.close();
      throw e;
    }
    return new Served(client, queue, subscriber);
  }

  /** In this JVM. */
  record Embedded(MessageQueue<byte[]> queue, Subscriber<byte[]> subscriber) implements SpamQueue {
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
    public Taken take(int max, Duration wait) throws InterruptedException {
      if (max == 1) {
        Delivery<byte[]> next = wait.isZero() ? subscriber.next() : subscriber.next(wait);
        return next == null
            ? Taken.NOTHING
            : new Taken(List.of(next.data()), next::ack, next::release);
      }
      List<Delivery<byte[]>> batch = subscriber.batch(max, wait);
      return new Taken(
          batch.stream().map(Delivery::data).toList(),
          () -> subscriber.ack(batch),
          () -> batch.forEach(Delivery::release));
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

  /** At a server; closes the client with itself. */
  record Served(RiverClient client, RemoteQueue queue, RemoteSubscriber subscriber)
      implements SpamQueue {
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
    public Taken take(int max, Duration wait) throws InterruptedException {
      List<RemoteDelivery> batch = subscriber.batch(max, wait);
      return new Taken(
          batch.stream().map(RemoteDelivery::data).toList(),
          () -> subscriber.ack(batch),
          () -> subscriber.release(batch));
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
}
