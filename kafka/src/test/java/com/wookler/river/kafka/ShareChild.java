package com.wookler.river.kafka;

import com.wookler.river.common.MonitoredThread;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.reactor.ProcessResult;
import com.wookler.river.reactor.Reactor;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;

/**
 * Processes messages of a share group until the file {@code end} exists, and appends each to a
 * file: {@code servers topic file end}.
 */
final class ShareChild {
  static final String GROUP = "numbers-group";
  static final int THREADS = 2;
  static final int BATCH = 100;

  private ShareChild() {}

  public static void main(String[] args) throws Exception {
    new MonitoredThread("parent", BrokerMain::endWithParent).start();
    Path end = Path.of(args[3]);
    try (OutputStream file =
            Files.newOutputStream(
                Path.of(args[2]), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        Reactor<String> reactor = reactor(args[0], args[1], file)) {
      while (!Files.exists(end) && reactor.isRunning()) {
        Thread.sleep(5);
      }
    }
    Runtime.getRuntime().halt(0);
  }

  private static Reactor<String> reactor(String servers, String topic, OutputStream file) {
    Map<String, Object> properties =
        Map.of("bootstrap.servers", servers, "share.record.lock.duration.ms", 10_000);
    return Reactor.builder(
            KafkaShare.builder(properties, topic, GROUP, MessageConverter.utf8())
                .earliest()
                .build())
        .batchProcessor("numbers", batch -> process(batch, file))
        .threads(THREADS)
        .batchSize(BATCH)
        .start();
  }

  private static List<ProcessResult<String>> process(
      List<Delivery<String>> batch, OutputStream file) throws IOException {
    StringBuilder lines = new StringBuilder();
    batch.forEach(each -> lines.append(each.data()).append('\n'));
    synchronized (file) { // so that no line is torn
      file.write(lines.toString().getBytes(StandardCharsets.UTF_8));
    }
    return batch.stream().map(each -> ProcessResult.<String>ack()).toList();
  }
}
