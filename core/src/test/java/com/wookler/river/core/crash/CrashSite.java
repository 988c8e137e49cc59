package com.wookler.river.core.crash;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.SizeBasedRecycle;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Where everything is in a crash test, and the queue that is killed: blocks so small that one is
 * recycled, archived and deleted at nearly every moment.
 *
 * @param root of all; the queue's base and the backup's base are beside the journals, not above
 */
record CrashSite(Path root) {
  static final String QUEUE = "crash";
  static final int PUBLISHERS = 4;

  /** Consumers of the subscriber with acknowledgement. */
  static final int BILLING_CONSUMERS = 2;

  /** What the one consumer of the subscriber without acknowledgement takes at most at once. */
  static final int AUDIT_BATCH = 64;

  static final Duration ACK_TIMEOUT = Duration.ofMillis(250);

  private static final int BLOCK_MESSAGES = 200;

  MessageQueue<byte[]> open(int round) {
    return MessageQueue.builder(QUEUE, MessageConverter.bytes())
        .directory(data())
        .maxMessageBytes(64 << 10)
        .blockBytes(1 << 20)
        .recycle(SizeBasedRecycle.ofMessages(BLOCK_MESSAGES))
        .syncInterval(Duration.ofMillis(round % 2 == 0 ? 10 : 200))
        .backup(backups(), Duration.ZERO)
        .open();
  }

  static SubscriberConfig billing() {
    return SubscriberConfig.builder("billing").ack(true).ackTimeout(ACK_TIMEOUT).build();
  }

  static SubscriberConfig audit() {
    return SubscriberConfig.builder("audit").build();
  }

  Path data() {
    return root.resolve("data");
  }

  Path queueDirectory() {
    return data().resolve(QUEUE);
  }

  Path backups() {
    return root.resolve("backup");
  }

  Path ready(int round) {
    return root.resolve("ready-" + round);
  }

  Path output(int round) {
    return root.resolve("output-" + round);
  }

  Path published(int round, int publisher) {
    return root.resolve("journal-" + round + "-publisher-" + publisher);
  }

  Path billing(int round) {
    return root.resolve("journal-" + round + "-billing");
  }

  Path audit(int round) {
    return root.resolve("journal-" + round + "-audit");
  }
}
