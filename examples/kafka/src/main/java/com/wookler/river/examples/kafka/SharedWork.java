package com.wookler.river.examples.kafka;

import com.wookler.river.common.TimeSource;
import com.wookler.river.common.config.ConfigNode;
import com.wookler.river.common.config.Configurable;
import com.wookler.river.core.River;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.reactor.BatchProcessor;
import com.wookler.river.reactor.ProcessResult;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One of the processes that share the work, and its processor, which would run on a local queue as
 * well: the file says where the queue is. It writes down what it has processed, so that it can be
 * counted.
 */
public final class SharedWork implements BatchProcessor<String>, Configurable, AutoCloseable {
  static final int BATCH = 100;
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private @Nullable OutputStream processed; // set by configure

  /** For the file. */
  public SharedWork() {}

  /** Runs until a file exists: {@code river.xml end}. */
  public static void main(String[] args) {
    ChildProcess.endWithParent();
    Path end = Path.of(args[1]);
    try (River river = River.open(Path.of(args[0]))) {
      while (!Files.exists(end)) {
        TimeSource.system().park(river, LOOK_NANOS);
      }
    }
    Runtime.getRuntime().halt(0); // nothing of Kafka's is waited for
  }

  @Override
  public void configure(ConfigNode node) {
    try {
      processed =
          Files.newOutputStream(
              Path.of(node.requireParam("file")),
              StandardOpenOption.CREATE,
              StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public List<ProcessResult<String>> process(List<Delivery<String>> batch) throws IOException {
    StringBuilder lines = new StringBuilder();
    for (Delivery<String> each : batch) {
      lines.append(each.data()).append('\n');
    }
    OutputStream file = processed;
    if (file == null) {
      throw new IllegalStateException("not configured");
    }
    file.write(lines.toString().getBytes(StandardCharsets.UTF_8));
    return batch.stream().map(each -> ProcessResult.<String>ack()).toList();
  }

  @Override
  public void close() throws IOException {
    if (processed != null) {
      processed.close();
    }
  }
}
