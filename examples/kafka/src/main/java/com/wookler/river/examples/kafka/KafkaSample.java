package com.wookler.river.examples.kafka;

import com.wookler.river.common.MonitoredThread;
import com.wookler.river.common.TimeSource;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.kafka.KafkaForwarder;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * Outgrowing one machine: orders are published into a local queue, which is forwarded to a broker,
 * and three processes share the work on them. Meanwhile the broker is killed and started again, and
 * one of the three is killed. At the end it is counted: each order is in the topic once, and
 * processed; again only those that were in flight at a kill.
 */
public final class KafkaSample {
  private static final String TOPIC = "orders";
  private static final int PARTITIONS = 3;
  private static final int PROCESSES = 3;
  private static final int RATE = 500; // orders a second
  private static final int KEYS = 97;
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  private static final int KILLED = PROCESSES - 1; // the process that is killed

  /** What all have in flight when the broker is killed, and one when that is. */
  private static final int MOST_TWICE = (PROCESSES + 1) * SharedWork.BATCH;

  private static final long OUTAGE_NANOS = TimeUnit.SECONDS.toNanos(4);
  private static final Duration PATIENCE = Duration.ofMinutes(3);

  private final PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
  private final TimeSource time = TimeSource.system();
  private final long began = time.nanoTime();
  private final AtomicInteger published = new AtomicInteger();
  private final List<ChildProcess> processes = new ArrayList<>();
  private final int count;
  private final Path directory;
  private Event next = Event.KILL_BROKER;
  private long killedAt;
  private int before; // how many the process had processed that is killed

  /** What happens while orders are published. */
  private enum Event {
    /** Once some of them are in the topic and processed. */
    KILL_BROKER,
    /** Some seconds later. */
    START_BROKER,
    /** While all catch up. */
    KILL_PROCESS,
    /** Nothing any more. */
    NONE
  }

  private KafkaSample(int count, Path directory) {
    this.count = count;
    this.directory = directory;
  }

  /** Runs it: {@code [--count N] [--directory DIR] [--keep]}. */
  public static void main(String[] args) throws Exception {
    int count = 10_000;
    Path directory = null;
    boolean keep = false;
    for (int i = 0; i < args.length; i++) {
      switch (args[i]) {
        case "--count" -> count = Integer.parseInt(args[++i]);
        case "--directory" -> directory = Path.of(args[++i]);
        case "--keep" -> keep = true;
        default -> {
          System.err.println(
              "unknown option " + args[i] + "; there are --count, --directory, --keep");
          System.exit(2);
        }
      }
    }
    boolean temporary = directory == null;
    Path data =
        temporary ? Files.createTempDirectory("river-kafka") : Files.createDirectories(directory);
    try {
      run(count, data);
    } finally {
      if (temporary && !keep) {
        delete(data);
      }
    }
  }

  /**
   * Runs it in a directory that has no data of an earlier run.
   *
   * @throws IllegalStateException a count is wrong
   */
  static void run(int count, Path directory) throws Exception {
    new KafkaSample(count, directory).run();
  }

  private void run() throws Exception {
    try (LocalBroker broker = new LocalBroker(directory.resolve("broker"))) {
      out.println("Starting a broker ...");
      broker.start();
      broker.createTopic(TOPIC, PARTITIONS);
      try (MessageQueue<String> queue =
              MessageQueue.builder(TOPIC, MessageConverter.utf8())
                  .directory(directory.resolve("queues"))
                  .open();
          KafkaForwarder<String> forwarder =
              KafkaForwarder.builder(queue, broker.client())
                  .topic(TOPIC)
                  .pause(Duration.ofMillis(500))
                  .start()) {
        for (int i = 0; i < PROCESSES; i++) {
          processes.add(
              ChildProcess.start(
                  SharedWork.class,
                  directory.resolve("process" + i + ".txt"),
                  broker.servers(),
                  TOPIC,
                  processed(i).toString(),
                  end().toString()));
        }
        watch(broker, queue, forwarder);
        report(broker);
      } finally {
        processes.forEach(ChildProcess::close);
      }
    }
  }

  private Path processed(int process) {
    return directory.resolve("processed" + process + ".txt");
  }

  private Path end() {
    return directory.resolve("end");
  }

  private void publish(MessageQueue<String> queue) {
    long start = time.nanoTime();
    for (int n = 0; n < count; n++) {
      long due = start + n * TimeUnit.SECONDS.toNanos(1) / RATE;
      for (long left = due - time.nanoTime(); left > 0; left = due - time.nanoTime()) {
        time.park(this, left);
      }
      queue.publisher().publish(Message.of(Integer.toString(n)).withKey("customer" + n % KEYS));
      published.set(n + 1);
    }
  }

  /**
   * Publishes, kills the broker after a third of it, starts it again after two thirds, and kills
   * one of the processes while they catch up.
   */
  private void watch(
      LocalBroker broker, MessageQueue<String> queue, KafkaForwarder<String> forwarder)
      throws Exception {
    out.printf(
        Locale.ROOT,
        "%,d orders at %d a second, and %d processes that share the work.%n%n%6s  %-8s %10s %10s %8s  %s%n",
        count,
        RATE,
        PROCESSES,
        "time",
        "broker",
        "published",
        "in topic",
        "waiting",
        "processed by each");
    MonitoredThread publisher = new MonitoredThread("publisher", () -> publish(queue));
    publisher.start();
    long until = time.nanoTime() + PATIENCE.toNanos() + count * TimeUnit.SECONDS.toNanos(1) / RATE;
    while (processed().distinct() < count || next != Event.NONE) {
      if (time.nanoTime() - until > 0) {
        throw new IllegalStateException("not all orders were processed in time");
      }
      time.park(this, LOOK_NANOS);
      disturb(broker, forwarder);
      line(broker, forwarder);
    }
    publisher.join();
    Files.createFile(end());
    for (ChildProcess each : processes) {
      if (each.join() != 0) {
        throw new IllegalStateException("a process failed; see " + directory);
      }
    }
  }

  /** Does what is next, once it is time for that. */
  private void disturb(LocalBroker broker, KafkaForwarder<String> forwarder)
      throws IOException, InterruptedException {
    switch (next) {
      case KILL_BROKER -> {
        if (forwarder.position() > count / 4 && processed().distinct() > 0) {
          broker.kill();
          killedAt = time.nanoTime();
          next = Event.START_BROKER;
        }
      }
      case START_BROKER -> {
        if (time.nanoTime() - killedAt > OUTAGE_NANOS) {
          broker.start();
          before = Counts.inFile(processed(KILLED)).size();
          next = Event.KILL_PROCESS;
        }
      }
      case KILL_PROCESS -> {
        if (Counts.inFile(processed(KILLED)).size() > before || processed().distinct() == count) {
          processes.remove(KILLED).kill();
          next = Event.NONE;
        }
      }
      case NONE -> {}
    }
  }

  private void line(LocalBroker broker, KafkaForwarder<String> forwarder) throws IOException {
    StringBuilder each = new StringBuilder();
    for (int i = 0; i < PROCESSES; i++) {
      each.append(String.format(Locale.ROOT, " %,7d", Counts.inFile(processed(i)).size()));
    }
    out.printf(
        Locale.ROOT,
        "%4.1f s  %-8s %,10d %,10d %,8d %s%s%n",
        (time.nanoTime() - began) / 1e9,
        broker.isRunning() ? "running" : "KILLED",
        published.get(),
        forwarder.position(),
        forwarder.stats().lag(),
        each,
        processes.size() < PROCESSES ? " (killed)" : "");
  }

  private Counts processed() throws IOException {
    List<Integer> all = new ArrayList<>();
    for (int i = 0; i < PROCESSES; i++) {
      all.addAll(Counts.inFile(processed(i)));
    }
    return Counts.of(all);
  }

  private void report(LocalBroker broker) throws IOException {
    Counts inTopic = Counts.of(Counts.inTopic(broker.client(), TOPIC));
    Counts processed = processed();
    out.printf(
        Locale.ROOT,
        "%n%,d orders were published; while the broker was away they waited in the queue.%n"
            + "In the topic: %,d, and %d of them twice.%n"
            + "Processed: %,d, and %d of them twice, which were in flight at a kill.%n",
        count,
        inTopic.distinct(),
        inTopic.twice(),
        processed.distinct(),
        processed.twice());
    if (!inTopic.equals(new Counts(count, 0))
        || processed.distinct() != count
        || processed.twice() > MOST_TWICE) {
      throw new IllegalStateException("a count is wrong");
    }
  }

  private static void delete(Path directory) {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path each : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(each);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
