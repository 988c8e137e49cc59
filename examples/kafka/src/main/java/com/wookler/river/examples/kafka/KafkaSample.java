package com.wookler.river.examples.kafka;

import com.wookler.river.common.MonitoredThread;
import com.wookler.river.common.TimeSource;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.Publisher;
import com.wookler.river.core.River;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.QueueFailedException;
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
 * or with {@code --engine kafka} to the broker at once, by the same code, and three processes share
 * the work on them. Meanwhile the broker is killed and started again, and one of the three is
 * killed. At the end it is counted: each order is in the topic once, and processed; again only
 * those that were in flight at a kill.
 */
public final class KafkaSample {
  static final String TOPIC = "orders";
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
  private final AtomicInteger repeated = new AtomicInteger(); // publishes of unknown outcome
  private final int count;
  private final Path directory;
  private final boolean kafka; // alone
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

  private KafkaSample(int count, Path directory, boolean kafka) {
    this.count = count;
    this.directory = directory;
    this.kafka = kafka;
  }

  /** Runs it: {@code [--engine local|kafka] [--count N] [--directory DIR] [--keep]}. */
  public static void main(String[] args) throws Exception {
    int count = 10_000;
    Path directory = null;
    boolean keep = false;
    boolean kafka = false;
    for (int i = 0; i < args.length; i++) {
      switch (args[i]) {
        case "--count" -> count = Integer.parseInt(args[++i]);
        case "--directory" -> directory = Path.of(args[++i]);
        case "--keep" -> keep = true;
        case "--engine" -> kafka = args[++i].equals("kafka");
        default -> {
          System.err.println(
              "unknown option " + args[i] + "; there are --engine, --count, --directory, --keep");
          System.exit(2);
        }
      }
    }
    boolean temporary = directory == null;
    Path data =
        temporary ? Files.createTempDirectory("river-kafka") : Files.createDirectories(directory);
    try {
      run(count, data, kafka);
    } finally {
      if (temporary && !keep) {
        delete(data);
      }
    }
  }

  /**
   * Runs it in a directory that has no data of an earlier run.
   *
   * @param kafka whether the queue is on Kafka alone
   * @throws IllegalStateException a count is wrong
   */
  static void run(int count, Path directory, boolean kafka) throws Exception {
    new KafkaSample(count, directory, kafka).run();
  }

  private void run() throws Exception {
    try (LocalBroker broker = new LocalBroker(directory.resolve("broker"))) {
      out.println("Starting a broker ...");
      broker.start();
      broker.createTopic(TOPIC, PARTITIONS);
      try (River river = River.open(SampleFiles.ofPublisher(directory, broker.servers(), kafka))) {
        for (int i = 0; i < PROCESSES; i++) {
          Path file =
              SampleFiles.ofWork(
                  directory.resolve("work" + i + ".xml"), broker.servers(), processed(i));
          processes.add(
              ChildProcess.start(
                  SharedWork.class,
                  directory.resolve("process" + i + ".txt"),
                  file.toString(),
                  end().toString()));
        }
        watch(broker, river);
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

  private void publish(Publisher<String> orders) {
    long start = time.nanoTime();
    for (int n = 0; n < count; n++) {
      long due = start + n * TimeUnit.SECONDS.toNanos(1) / RATE;
      for (long left = due - time.nanoTime(); left > 0; left = due - time.nanoTime()) {
        time.park(this, left);
      }
      Message<String> order = Message.of(Integer.toString(n)).withKey("customer" + n % KEYS);
      while (!publish(orders, order)) {
        time.park(this, LOOK_NANOS); // on Kafka alone, while no broker answers
      }
      published.set(n + 1);
    }
  }

  private boolean publish(Publisher<String> orders, Message<String> order) {
    try {
      return orders.publish(order) >= 0;
    } catch (QueueFailedException e) { // it may be there
      repeated.incrementAndGet();
    } catch (RiverException e) {
      out.println(e.getMessage());
    }
    return false;
  }

  /** Returns how many orders are in the topic, or were; those not forwarded are in the queue. */
  private long inTopic(River river) {
    return kafka ? published.get() : river.queue(TOPIC).transfers().get(0).position();
  }

  /**
   * Publishes, kills the broker after a third of it, starts it again after two thirds, and kills
   * one of the processes while they catch up.
   */
  private void watch(LocalBroker broker, River river) throws Exception {
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
    MonitoredThread publisher =
        new MonitoredThread("publisher", () -> publish(river.publisher(TOPIC)));
    publisher.start();
    long until = time.nanoTime() + PATIENCE.toNanos() + count * TimeUnit.SECONDS.toNanos(1) / RATE;
    while (processed().distinct() < count || next != Event.NONE) {
      if (time.nanoTime() - until > 0) {
        throw new IllegalStateException("not all orders were processed in time");
      }
      time.park(this, LOOK_NANOS);
      disturb(broker, river);
      line(broker, river);
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
  private void disturb(LocalBroker broker, River river) throws IOException, InterruptedException {
    switch (next) {
      case KILL_BROKER -> {
        if (inTopic(river) > count / 4 && processed().distinct() > 0) {
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

  private void line(LocalBroker broker, River river) throws IOException {
    long inTopic = inTopic(river);
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
        inTopic,
        published.get() - inTopic,
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
        "%n%,d orders were published; while the broker was away %s.%n"
            + "In the topic: %,d, and %d of them twice.%n"
            + "Processed: %,d, and %d of them twice, which were in flight at a kill.%n",
        count,
        kafka ? "the publisher waited" : "they waited in the queue",
        inTopic.distinct(),
        inTopic.twice(),
        processed.distinct(),
        processed.twice());
    if (inTopic.distinct() != count
        || inTopic.twice() > repeated.get()
        || processed.distinct() != count
        || processed.twice() > MOST_TWICE + inTopic.twice()) {
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
