package com.wookler.river.kafka;

import com.wookler.river.common.MonitoredThread;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.MessageConverter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * Stores a topic in a queue until it has as many messages: {@code directory servers topic count
 * begun}. Creates the file {@code begun} after its first message.
 */
final class SourceChild {
  private SourceChild() {}

  public static void main(String[] args) throws Exception {
    new MonitoredThread("parent", BrokerMain::endWithParent).start();
    long count = Long.parseLong(args[3]);
    Map<String, Object> properties = Map.of("bootstrap.servers", args[1], "max.poll.records", 200);
    try (MessageQueue<String> queue =
            MessageQueue.builder("numbers", MessageConverter.utf8())
                .directory(Path.of(args[0]))
                .open();
        KafkaSource<String> source =
            KafkaSource.builder(queue, properties).topics(args[2]).start()) {
      boolean begun = false;
      while (queue.stats().nextSequence() < count) {
        if (!begun && source.stats().stored() > 0) {
          Files.createFile(Path.of(args[4]));
          begun = true;
        }
        Thread.sleep(5);
      }
    }
    Runtime.getRuntime().halt(0);
  }
}
