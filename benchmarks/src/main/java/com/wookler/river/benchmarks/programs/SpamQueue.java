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
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * A queue of a program, in this JVM or at a server, with default settings and the one subscriber
 * that all clients share. Thread-safe.
 *
 * @param put publishes one item, or several as one batch
 * @param taker takes items
 * @param purge acknowledges everything that is there
 * @param waiting returns the number of items that are not acknowledged
 * @param bytes returns the size of the log
 * @param close closes the queue, or the client of its server
 */
record SpamQueue(
    Consumer<List<byte[]>> put,
    Taker taker,
    Runnable purge,
    LongSupplier waiting,
    LongSupplier bytes,
    Runnable close) {
  private static final String SUBSCRIBER = "clients";

  /** Takes one item, or up to {@code max}; unless they stay open, it may acknowledge them, too. */
  @FunctionalInterface
  interface Taker {
    Taken take(int max, Duration wait, boolean open) throws InterruptedException;
  }

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

  /** Opens a queue in this JVM. */
  static SpamQueue embedded(String name, Path directory) {
    MessageQueue<byte[]> queue =
        MessageQueue.builder(name, MessageConverter.bytes()).directory(directory).open();
    Subscriber<byte[]> subscriber =
        queue.subscriber(SubscriberConfig.builder(SUBSCRIBER).ack(true).build());
    return new SpamQueue(
        items -> {
          if (items.size() == 1) {
            queue.publisher().publish(items.get(0));
          } else {
            queue.publisher().publishAll(items);
          }
        },
        (max, wait, open) -> take(subscriber, max, wait),
        subscriber::purge,
        () -> subscriber.stats().lag(),
        () -> queue.stats().bytes(),
        queue::close);
  }

  private static Taken take(Subscriber<byte[]> subscriber, int max, Duration wait)
      throws InterruptedException {
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

  /** Opens a queue at a server that speaks memcache's protocol; it stays there. */
  static SpamQueue memcache(String name, InetSocketAddress address) {
    MemcacheQueue queue = new MemcacheQueue(name, address);
    return new SpamQueue(
        queue::put,
        queue::take,
        queue::purge,
        () -> queue.figure("items") + queue.figure("open_transactions"),
        () -> queue.figure("logsize"),
        queue::close);
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
    return new SpamQueue(
        items -> {
          if (items.size() == 1) {
            queue.publish(items.get(0));
          } else {
            queue.publishAll(items.stream().map(NewMessage::of).toList());
          }
        },
        (max, wait, open) -> {
          List<RemoteDelivery> batch = subscriber.batch(max, wait);
          return new Taken(
              batch.stream().map(RemoteDelivery::data).toList(),
              () -> subscriber.ack(batch),
              () -> subscriber.release(batch));
        },
        subscriber::purge,
        () -> subscriber.stats().lag(),
        () -> queue.info().stats().bytes(),
        client::close);
  }
}
