package com.wookler.river.benchmarks.programs;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.benchmarks.utils.Directories;
import com.wookler.river.common.MonitoredThread;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.Publisher;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The open queues of one program, each with default settings and one subscriber that all clients
 * share; its messages are finished by acknowledgement. Thread-safe.
 *
 * <p>A temporary directory goes when this is closed, or when the process is asked to end.
 */
final class SpamQueues implements AutoCloseable {
  private static final String SUBSCRIBER = "clients";

  private final Path directory;
  private final boolean temporary;
  private final List<MessageQueue<byte[]>> queues = new ArrayList<>(); // filled before it is shared
  private final List<Subscriber<byte[]>> subscribers = new ArrayList<>(); // likewise
  private final MonitoredThread atExit = new MonitoredThread("CLOSE-QUEUES", this::end);

  @GuardedBy("this")
  private boolean closed;

  private SpamQueues(Path directory, boolean temporary) {
    this.directory = directory;
    this.temporary = temporary;
  }

  /** Opens so many. */
  static SpamQueues open(QueueFlags flags, int count) throws IOException {
    Path given = flags.directory();
    Path directory = given == null ? Files.createTempDirectory("river-bench-") : given;
    SpamQueues opened = new SpamQueues(directory, given == null);
    Runtime.getRuntime().addShutdownHook(opened.atExit);
    try {
      for (int i = 0; i < count; i++) {
        opened.add(flags.name(i, count));
      }
    } catch (RuntimeException e) {
      opened.close();
      throw e;
    }
    return opened;
  }

  private synchronized void add(String name) {
    MessageQueue<byte[]> queue =
        MessageQueue.builder(name, MessageConverter.bytes()).directory(directory).open();
    queues.add(queue);
    subscribers.add(queue.subscriber(SubscriberConfig.builder(SUBSCRIBER).ack(true).build()));
  }

  /** Empties them, unless the flags say otherwise. */
  void flush(QueueFlags flags, PrintWriter out) {
    if (!flags.keep()) {
      out.println("Flushing queues first.");
      subscribers.forEach(Subscriber::purge);
    }
  }

  /** Name of the n-th queue. */
  String name(int number) {
    return queues.get(number).name();
  }

  /** The publisher of the n-th queue. */
  Publisher<byte[]> publisher(int number) {
    return queues.get(number).publisher();
  }

  /** What all clients of the n-th queue read by. */
  Subscriber<byte[]> subscriber(int number) {
    return subscribers.get(number);
  }

  /** Size of the n-th queue's log. */
  long bytes(int number) {
    return queues.get(number).stats().bytes();
  }

  /** Where they are; what a server's address was in the original's output. */
  Path directory() {
    return directory;
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
    queues.forEach(MessageQueue::close);
    if (temporary) {
      try {
        Directories.delete(directory);
      } catch (IOException e) {
        throw new UncheckedIOException("cannot remove " + directory, e);
      }
    }
  }
}
