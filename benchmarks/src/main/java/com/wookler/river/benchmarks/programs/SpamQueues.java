package com.wookler.river.benchmarks.programs;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.benchmarks.harness.Directories;
import com.wookler.river.common.MonitoredThread;
import com.wookler.river.rest.client.RiverClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The open queues of one program. Thread-safe. A temporary directory is deleted when this is
 * closed, or when the process is asked to end.
 */
final class SpamQueues implements AutoCloseable {
  private final String place;
  private final @Nullable Path temporary;
  private final List<SpamQueue> queues = new ArrayList<>(); // filled before it is shared
  private final MonitoredThread atExit = new MonitoredThread("CLOSE-QUEUES", this::end);

  @GuardedBy("this")
  private boolean closed;

  private SpamQueues(String place, @Nullable Path temporary) {
    this.place = place;
    this.temporary = temporary;
  }

  /** Opens the queues that the flags name. */
  static SpamQueues open(QueueFlags flags, int count) throws IOException {
    String server = flags.server();
    Path given = flags.directory();
    Path directory =
        server != null || given != null ? given : Files.createTempDirectory("river-bench-");
    SpamQueues opened =
        new SpamQueues(server == null ? "" + directory : server, given == null ? directory : null);
    Runtime.getRuntime().addShutdownHook(opened.atExit);
    try {
      for (int i = 0; i < count; i++) {
        String name = flags.name(i, count);
        opened.queues.add(
            directory == null
                ? SpamQueue.served(name, client(String.valueOf(server)))
                : SpamQueue.embedded(name, directory));
      }
    } catch (RuntimeException e) {
      opened.close();
      throw e;
    }
    return opened;
  }

  private static RiverClient client(String server) {
    RiverClient.Builder client = RiverClient.builder(server);
    String key = System.getenv("RIVER_KEY");
    return (key == null ? client : client.apiKey(key)).build();
  }

  /** Acknowledges everything that is there. */
  void purge() {
    queues.forEach(SpamQueue::purge);
  }

  /** Returns the n-th queue. */
  SpamQueue get(int number) {
    return queues.get(number);
  }

  /** Returns where they are: a directory, or a server's address. */
  String place() {
    return place;
  }

  /** Idempotent; clients that are at work get an exception. */
  @Override
  public void close() {
    end();
    try {
      Runtime.getRuntime().removeShutdownHook(atExit);
    } catch (IllegalStateException e) {
      // the process ends, and this is or was called by the hook
    }
  }

  private synchronized void end() {
    if (closed) {
      return;
    }
    closed = true;
    queues.forEach(SpamQueue::close);
    if (temporary != null) {
      try {
        Directories.delete(temporary);
      } catch (IOException e) {
        throw new UncheckedIOException("cannot remove " + temporary, e);
      }
    }
  }
}
