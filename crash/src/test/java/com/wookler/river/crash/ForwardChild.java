package com.wookler.river.crash;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.SizeBasedRecycle;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Subscriber;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Publishes numbers in a row, singly and in batches, into a queue that forwards them to two others,
 * until it is killed. A subscriber of the first of these keeps its blocks going.
 */
final class ForwardChild {
  private ForwardChild() {}

  /** Argument: directory. */
  @SuppressWarnings({"InfiniteLoopStatement", "try"}) // billing only has to be there
  public static void main(String[] args) throws Exception {
    Path directory = Path.of(args[0]);
    try (MessageQueue<String> audit = target(directory, "audit").open();
        MessageQueue<String> billing = target(directory, "billing").open();
        MessageQueue<String> orders = source(directory).open()) {
      Subscriber<String> reader = audit.subscriber("reader");
      long next = orders.stats().nextSequence();
      for (int turn = 0; ; turn++) {
        if (turn % 10 == 0) {
          List<String> batch = new ArrayList<>();
          for (int i = 0; i < 7; i++) {
            batch.add(String.valueOf(next++));
          }
          orders.publisher().publishAll(batch);
        } else {
          orders.publisher().publish(String.valueOf(next++));
        }
        reader.batch(20, Duration.ZERO);
      }
    }
  }

  /** What is read from the audit is in its backup. */
  static MessageQueue.Builder<String> target(Path directory, String name) {
    MessageQueue.Builder<String> builder = builder(directory, name);
    return name.equals("audit")
        ? builder.backup(directory.resolveSibling("backup"), Duration.ZERO)
        : builder;
  }

  static MessageQueue.Builder<String> source(Path directory) {
    return builder(directory, "orders").forwardTo("audit", "billing").fanoutOnly(true);
  }

  private static MessageQueue.Builder<String> builder(Path directory, String name) {
    return MessageQueue.builder(name, MessageConverter.utf8())
        .directory(directory)
        .maxMessageBytes(16 << 10)
        .syncInterval(Duration.ofMillis(20))
        .recycle(SizeBasedRecycle.ofMessages(2_000));
  }
}
