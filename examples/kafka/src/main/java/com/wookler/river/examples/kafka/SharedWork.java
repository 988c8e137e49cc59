package com.wookler.river.examples.kafka;

import com.wookler.river.common.TimeSource;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.kafka.KafkaShare;
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
import java.util.concurrent.TimeUnit;

/**
 * One of the processes that share the work: a reactor over the topic, whose processor would run
 * over a queue's subscriber as well. It writes down what it has processed, so that it can be
 * counted.
 */
final class SharedWork {
  static final String GROUP = "billing";
  static final int BATCH = 100;
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private SharedWork() {}

  /** Runs until a file exists: {@code servers topic processed end}. */
  public static void main(String[] args) throws IOException {
    ChildProcess.endWithParent();
    Path end = Path.of(args[3]);
    try (OutputStream processed =
            Files.newOutputStream(
                Path.of(args[2]), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        Reactor<String> reactor = start(args[0], args[1], processed)) {
      while (reactor.isRunning() && !Files.exists(end)) {
        TimeSource.system().park(end, LOOK_NANOS);
      }
    }
    Runtime.getRuntime().halt(0); // nothing of Kafka's is waited for
  }

  private static Reactor<String> start(String servers, String topic, OutputStream processed) {
    Map<String, Object> properties =
        Map.of("bootstrap.servers", servers, "share.record.lock.duration.ms", 15_000);
    return Reactor.builder(
            KafkaShare.builder(properties, topic, GROUP, MessageConverter.utf8())
                .earliest()
                .build())
        .batchProcessor("billing", batch -> process(batch, processed))
        .batchSize(BATCH)
        .start();
  }

  private static List<ProcessResult<String>> process(
      List<Delivery<String>> batch, OutputStream processed) throws IOException {
    StringBuilder lines = new StringBuilder();
    for (Delivery<String> each : batch) {
      lines.append(each.data()).append('\n');
    }
    processed.write(lines.toString().getBytes(StandardCharsets.UTF_8));
    return batch.stream().map(each -> ProcessResult.<String>ack()).toList();
  }
}
