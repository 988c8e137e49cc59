package com.wookler.river.crash;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.SizeBasedRecycle;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.FilterExpression;
import com.wookler.river.forward.ForwardConfig;
import com.wookler.river.forward.Forwards;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.Random;

/**
 * Publishes sequences into a queue that forwards all to one queue, and two of three to another one,
 * which is added, removed and given another filter all the time, until it is killed. A message that
 * the second is to have carries the number of the filter that is there when it is published.
 */
final class ForwardChangesChild {
  private static final Duration LONG = Duration.ofMinutes(1);

  private ForwardChangesChild() {}

  /** Argument: directory. */
  @SuppressWarnings({"InfiniteLoopStatement", "try"}) // the targets only have to be there
  public static void main(String[] args) throws Exception {
    Path directory = Path.of(args[0]);
    Random random = new Random();
    try (MessageQueue<String> audit = target(directory, "audit").open();
        MessageQueue<String> some = target(directory, "some").open();
        MessageQueue<String> orders = source(directory).open()) {
      Forwards forwards = Forwards.of(orders);
      while (true) {
        publish(orders, filter(forwards), 1 + random.nextInt(40));
        long end = orders.stats().nextSequence();
        forwards.await(end - 1, LONG, "some");
        while (safe(forwards) < end) { // what was refused before it is not judged again
          Thread.onSpinWait();
        }
        int next = filter(forwards) + 1;
        if (random.nextBoolean()) {
          forwards.change(config(next));
        } else {
          forwards.remove("some");
          forwards.add(config(next));
        }
      }
    }
  }

  private static long safe(Forwards forwards) {
    return forwards.stats().stream()
        .filter(each -> each.queue().equals("some"))
        .findFirst()
        .orElseThrow()
        .safe();
  }

  private static void publish(MessageQueue<String> orders, int filter, int messages) {
    for (int i = 0; i < messages; i++) {
      long sequence = orders.stats().nextSequence();
      String kind = sequence % 3 == 0 ? "none" : String.valueOf(filter);
      orders
          .publisher()
          .publish(
              Message.of(String.valueOf(sequence))
                  .withHeader("kind", kind.getBytes(StandardCharsets.UTF_8)));
    }
  }

  private static ForwardConfig config(int filter) {
    return ForwardConfig.to("some").filter("headers.kind == '" + filter + "'").build();
  }

  /** Returns the number of the filter; a kill may have come between removal and addition. */
  private static int filter(Forwards forwards) {
    for (ForwardConfig config : forwards.configs()) {
      FilterExpression filter = config.filter();
      if (filter != null) {
        return Integer.parseInt(filter.text().replaceAll("\\D", ""));
      }
    }
    int fresh = Objects.hash(System.nanoTime()) & 0xFFFFFF;
    forwards.add(config(fresh));
    return fresh;
  }

  static MessageQueue.Builder<String> target(Path directory, String name) {
    return builder(directory, name);
  }

  static MessageQueue.Builder<String> source(Path directory) {
    return builder(directory, "orders").forwardTo("audit").fanoutOnly(true);
  }

  private static MessageQueue.Builder<String> builder(Path directory, String name) {
    return MessageQueue.builder(name, MessageConverter.utf8())
        .directory(directory)
        .maxMessageBytes(16 << 10)
        .syncInterval(Duration.ofMillis(5))
        .recycle(SizeBasedRecycle.ofMessages(200));
  }
}
