package com.wookler.river.benchmarks.programs;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.benchmarks.harness.Directories;
import com.wookler.river.common.MonitoredThread;
import com.wookler.river.rest.client.RiverClient;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The open queues of one program, in this JVM or at a server, each with default settings and one
 * subscriber that all clients share; its messages are finished by acknowledgement. Thread-safe.
 *
 * <p>A temporary directory goes when this is closed, or when the process is asked to end.
 */
final class SpamQueues implements AutoCloseable {
  /** What all clients read by. */
  static final String SUBSCRIBER = "clients";

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

  /** Opens so many. */
  static SpamQueues open(QueueFlags flags, int count, PrintWriter out) throws IOException {
    flags.check(out);
    String server = flags.server();
    if (server != null) {
      return open(new SpamQueues(server, null), flags, count, name -> served(name, server));
    }
    Path given = flags.directory();
    Path directory = given == null ? Files.createTempDirectory("river-bench-") : given;
    return open(
        new SpamQueues(directory.toString(), given == null ? directory : null),
        flags,
        count,
        name -> new EmbeddedQueue(name, directory));
  }

  private static SpamQueue served(String name, String server) {
    RiverClient.Builder client = RiverClient.builder(server);
    String key = System.getenv("RIVER_KEY");
    return new ServedQueue(name, (key == null ? client : client.apiKey(key)).build());
  }

  private static SpamQueues open(
      SpamQueues opened, QueueFlags flags, int count, Function<String, SpamQueue> open)
      throws IOException {
    Runtime.getRuntime().addShutdownHook(opened.atExit);
    try {
      for (int i = 0; i < count; i++) {
        opened.add(open.apply(flags.name(i, count)));
      }
    } catch (RuntimeException e) {
      opened.close();
      throw e;
    }
    return opened;
  }

  private synchronized void add(SpamQueue queue) {
    queues.add(queue);
  }

  /** Empties them, unless the flags say otherwise. */
  void flush(QueueFlags flags, PrintWriter out) {
    if (!flags.keep()) {
      out.println("Flushing queues first.");
      queues.forEach(SpamQueue::purge);
    }
  }

  /** The n-th. */
  SpamQueue get(int number) {
    return queues.get(number);
  }

  /** Where they are: a directory, or a server's address. */
  String place() {
    return place;
  }

  /** Idempotent; clients that are at work get an exception. */
  @Override
  public void close() throws IOException {
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
