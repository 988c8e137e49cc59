package com.wookler.river.crash;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.SizeBasedRecycle;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.time.Duration;
import java.util.List;

/**
 * What the process does that is ended: blocks so small that one is recycled, archived and deleted
 * at nearly every moment.
 *
 * @param publishers threads that publish
 * @param subscribers every second one, from the first, with acknowledgement
 * @param level of what is published
 * @param largest bytes of a message, about
 * @param faulty whether calls may fail, as under injected errors; else a failure ends the process,
 *     and breaks a promise
 */
record Scenario(int publishers, int subscribers, Level level, int largest, boolean faulty) {
  static final Scenario DEFAULT = new Scenario(4, 2, Level.MIXED, 300, false);

  /** What one consumer without acknowledgement takes at most at once. */
  static final int PLAIN_BATCH = 64;

  static final Duration ACK_TIMEOUT = Duration.ofMillis(250);

  private static final int BLOCK_MESSAGES = 200;
  private static final int MAX_MESSAGE = 64 << 10;

  /** How durable publishes are. */
  enum Level {
    /** All in the mapped file when they return. */
    MEMORY,
    /** All on the device when they return. */
    DISK,
    /** Some of both. */
    MIXED
  }

  static Scenario of(List<String> arguments) {
    return new Scenario(
        Integer.parseInt(arguments.get(0)),
        Integer.parseInt(arguments.get(1)),
        Level.valueOf(arguments.get(2)),
        Integer.parseInt(arguments.get(3)),
        Boolean.parseBoolean(arguments.get(4)));
  }

  List<String> arguments() {
    return List.of(
        Integer.toString(publishers),
        Integer.toString(subscribers),
        level.name(),
        Integer.toString(largest),
        Boolean.toString(faulty));
  }

  Scenario at(Level other) {
    return new Scenario(publishers, subscribers, other, largest, faulty);
  }

  Scenario thatMayFail() {
    return new Scenario(publishers, subscribers, level, largest, true);
  }

  MessageQueue<byte[]> open(Site site, int round) {
    int maximum = Math.max(MAX_MESSAGE, largest * 2);
    return MessageQueue.builder(Site.QUEUE, MessageConverter.bytes())
        .directory(site.data())
        .durability(level == Level.DISK ? Durability.DISK : Durability.MEMORY)
        .maxMessageBytes(maximum)
        .blockBytes(Math.max(1 << 20, maximum * 4L))
        .recycle(SizeBasedRecycle.ofMessages(BLOCK_MESSAGES))
        .syncInterval(Duration.ofMillis(round % 2 == 0 ? 10 : 200))
        .backup(site.backups(), Duration.ZERO)
        .open();
  }

  static boolean acknowledges(int subscriber) {
    return subscriber % 2 == 0;
  }

  static SubscriberConfig subscriber(int number) {
    return SubscriberConfig.builder(name(number))
        .ack(acknowledges(number))
        .ackTimeout(ACK_TIMEOUT)
        .build();
  }

  static String name(int subscriber) {
    return (acknowledges(subscriber) ? "billing-" : "audit-") + subscriber;
  }
}
