package com.wookler.river.crash;

import com.wookler.river.common.MonitoredThread;
import com.wookler.river.common.TimeSource;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.Publisher;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.io.File;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs in a small heap: publishes messages of 100 bytes, alone and in batches, to three
 * subscribers, each of which compares number and content of every message with its sequence.
 */
final class ScaleChild {
  /** What it prints at the end if all was right. */
  static final String DONE = "ScaleChild is done";

  static final int FAILED = 9;

  private static final Logger LOG = LoggerFactory.getLogger(ScaleChild.class);
  private static final int BYTES = 100;
  private static final int BATCH = 100;
  private static final int TAKE = 500;
  private static final int MARK_AT = BYTES - Long.BYTES;
  private static final long MAX_LAG = 500_000;
  private static final long CHECK_EVERY = 50_000;

  /** With a lag of 500,000, no more than a few blocks of 64 MB and the one made ahead. */
  private static final long MAX_DISK = 512L << 20;

  private static final Duration DRAIN = Duration.ofMinutes(1);

  private final MessageQueue<byte[]> queue;
  private final Path directory;
  private final long messages;
  private final List<Subscriber<byte[]>> subscribers = new ArrayList<>();
  private long largest; // bytes on disk, seen by the publishing thread

  private ScaleChild(Path directory, long messages) {
    this.directory = directory;
    this.messages = messages;
    this.queue =
        MessageQueue.builder("scale", MessageConverter.bytes()).directory(directory).open();
    subscribers.add(queue.subscriber(SubscriberConfig.builder("billing").ack(true).build()));
    subscribers.add(queue.subscriber("audit"));
    subscribers.add(queue.subscriber("archive"));
  }

  /** Arguments: directory, number of messages. */
  public static void main(String[] args) throws Exception {
    try {
      ScaleChild child = new ScaleChild(Path.of(args[0]), Long.parseLong(args[1]));
      child.run();
    } catch (Throwable e) {
      fail(e);
    }
  }

  private static void fail(Throwable e) {
    LOG.error("failed", e);
    Runtime.getRuntime().halt(FAILED);
  }

  private void run() throws InterruptedException {
    long started = TimeSource.system().nanoTime();
    List<Thread> threads = new ArrayList<>();
    for (Subscriber<byte[]> subscriber : subscribers) {
      Thread thread = new MonitoredThread(subscriber.name(), () -> consume(subscriber));
      thread.start();
      threads.add(thread);
    }
    publish();
    for (Thread thread : threads) {
      thread.join();
    }
    long millis = TimeUnit.NANOSECONDS.toMillis(TimeSource.system().nanoTime() - started);
    Subscriber<byte[]> billing = subscribers.get(0);
    check(billing.stats().ackFloor(), messages);
    check(billing.stats().acked(), messages);
    queue.close();
    LOG.warn(
        "{}: {} messages in {} ms, {} MB on disk at most, {} MB of heap",
        DONE,
        messages,
        millis,
        largest >> 20,
        Runtime.getRuntime().maxMemory() >> 20);
  }

  /** Nine of ten in batches. */
  private void publish() {
    Publisher<byte[]> publisher = queue.publisher();
    byte[] data = new byte[BYTES];
    long number = 0;
    while (number < messages) {
      if (number % CHECK_EVERY == 0) {
        awaitConsumers();
        awaitDisk();
      }
      if (number % 1_000 < BATCH) {
        check(publisher.publish(fill(data, number)), number);
        number++;
      } else {
        List<byte[]> batch = new ArrayList<>(BATCH);
        for (int i = 0; i < BATCH; i++) {
          batch.add(fill(new byte[BYTES], number + i));
        }
        check(publisher.publishAll(batch), number);
        number += BATCH;
      }
    }
  }

  private static byte[] fill(byte[] data, long number) {
    ByteBuffer.wrap(data).putLong(0, number).putLong(MARK_AT, ~number);
    return data;
  }

  private void awaitConsumers() {
    for (Subscriber<byte[]> subscriber : subscribers) {
      while (subscriber.stats().lag() > MAX_LAG) {
        TimeSource.system().park(this, TimeUnit.MILLISECONDS.toNanos(1));
      }
    }
  }

  /** Read blocks go by themselves, however slow the disk is: only never going is a failure. */
  private void awaitDisk() {
    long deadline = TimeSource.system().nanoTime() + DRAIN.toNanos();
    long bytes = bytesOf(directory.toFile());
    while (bytes > MAX_DISK) {
      if (TimeSource.system().nanoTime() > deadline) {
        throw new AssertionError("there are still " + bytes + " bytes on disk after " + DRAIN);
      }
      TimeSource.system().park(this, TimeUnit.MILLISECONDS.toNanos(5));
      bytes = bytesOf(directory.toFile());
    }
    largest = Math.max(largest, bytes);
  }

  /** A file that is deleted meanwhile counts nothing; a walk by {@code Files} would fail there. */
  private static long bytesOf(File file) {
    File[] children = file.listFiles();
    if (children == null) {
      return file.length();
    }
    long bytes = 0;
    for (File child : children) {
      bytes += bytesOf(child);
    }
    return bytes;
  }

  private void consume(Subscriber<byte[]> subscriber) {
    try {
      for (long expected = 0; expected < messages; ) {
        List<Delivery<byte[]>> deliveries = subscriber.batch(TAKE, Duration.ofSeconds(1));
        for (Delivery<byte[]> delivery : deliveries) {
          check(delivery.sequence(), expected);
          ByteBuffer data = ByteBuffer.wrap(delivery.data());
          check(data.remaining(), BYTES);
          check(data.getLong(0), expected);
          check(data.getLong(MARK_AT), ~expected);
          check(delivery.attempt(), 1);
          expected++;
        }
        if (subscriber.config().ackRequired() && !deliveries.isEmpty()) {
          subscriber.ack(deliveries);
        }
      }
      if (subscriber.next() != null) {
        throw new AssertionError("more than " + messages);
      }
    } catch (Throwable e) {
      fail(e);
    }
  }

  private static void check(long actual, long expected) {
    if (actual != expected) {
      throw new AssertionError("expected " + expected + ", got " + actual);
    }
  }
}
