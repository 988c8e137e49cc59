package com.wookler.river.benchmarks.jmh;

import com.wookler.river.benchmarks.harness.Directories;
import com.wookler.river.benchmarks.harness.RiverMonitor;
import com.wookler.river.common.Env;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.MessageConverter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;

/**
 * A queue with default settings and the monitor on, for the life of one trial. Blocks recycle and
 * go into a backup, which keeps them for a second, so that the disk does not fill.
 */
final class BenchQueue implements AutoCloseable {
  /** Messages of a batch. */
  static final int BATCH = 64;

  /** Messages that one invocation of a consuming benchmark takes. */
  static final int LOT = 256 * BATCH;

  private static final Duration RETENTION = Duration.ofSeconds(1);

  private final boolean monitored; // by an environment of its own, and not one that was there
  private final Path directory;
  private final MessageQueue<byte[]> queue;

  /** Opens it, empty. */
  BenchQueue() throws IOException {
    monitored = Env.find().isEmpty();
    if (monitored) {
      RiverMonitor.start();
    }
    directory = Files.createTempDirectory("river-jmh-");
    queue =
        MessageQueue.builder("jmh", MessageConverter.bytes())
            .directory(directory)
            .backup(directory.resolve("backup"), RETENTION)
            .open();
  }

  /** The queue itself. */
  MessageQueue<byte[]> queue() {
    return queue;
  }

  /** Publishes one lot of messages of this size. */
  void fill(int size) {
    byte[] data = new byte[size];
    for (int i = 0; i < LOT / BATCH; i++) {
      queue.publisher().publishAll(Collections.nCopies(BATCH, data));
    }
  }

  @Override
  public void close() throws IOException {
    queue.close();
    if (monitored) {
      RiverMonitor.stop();
    }
    Directories.delete(directory);
  }
}
