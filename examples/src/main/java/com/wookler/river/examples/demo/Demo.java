package com.wookler.river.examples.demo;

import com.wookler.river.common.TimeSource;
import com.wookler.river.common.utils.Amount;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.SizeBasedRecycle;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.examples.utils.Workers;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * Runs the demo once: two publishers, the subscribers of {@link Role}, small blocks, and a restart
 * of the queue when half of the events are published, with everybody at work.
 */
final class Demo {
  /** How many publish. */
  static final int PUBLISHERS = 2;

  private static final String QUEUE = "flights";
  private static final Duration RETENTION = Duration.ofHours(1);
  private static final long GLANCE_NANOS = 50_000_000;

  /** For how long nothing may be finished before the demo gives up and says what is missing. */
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final Events events;
  private final Path directory;
  private final double rate;
  private final PrintWriter out;
  private final TimeSource time = TimeSource.system();
  private final Ledgers ledgers;
  private @Nullable String restart; // confined to the thread that runs the demo

  /**
   * A demo.
   *
   * @param events the input
   * @param directory an empty directory for queue and backups
   * @param rate events a second of all publishers; 0 for as fast as it goes
   * @param out where to show what happens
   */
  Demo(Events events, Path directory, double rate, PrintWriter out) {
    this.events = events;
    this.directory = directory;
    this.rate = rate;
    this.out = out;
    this.ledgers = new Ledgers(events.count(), PUBLISHERS);
  }

  /** Runs it to its end. */
  Proof run() throws Exception {
    try (QueueHandle handle = new QueueHandle(this::open)) {
      Stage stage = new Stage(events, new Published(events.count()), handle);
      Backups backups;
      try (DemoReport report = new DemoReport(out, time, stage, ledgers, backupDirectory())) {
        work(stage, report);
        settle(stage, report);
        backups = Backups.verify(handle.current(), backupDirectory(), stage, report::readBack);
      }
      List<Verdict> verdicts = ledgers.verdicts(stage.published());
      return new Proof(
          events.count(),
          PUBLISHERS,
          stage.published(),
          verdicts,
          leftovers(handle.current()),
          restart,
          backups);
    }
  }

  private MessageQueue<String> open() {
    int maxBytes = Math.max(1 << 20, events.longest());
    MessageQueue<String> queue =
        MessageQueue.builder(QUEUE, MessageConverter.utf8())
            .directory(directory.resolve("queue"))
            .recycle(SizeBasedRecycle.ofMessages(blockMessages(events.count())))
            .blockBytes(Math.max(8L << 20, 4L * maxBytes))
            .maxMessageBytes(maxBytes)
            .backup(backupDirectory(), RETENTION)
            .open();
    // Before the first message and again after the restart: a block stays until all of these have
    // it.
    for (Role role : Role.values()) {
      Subscriber<String> unused = queue.subscriber(role.config());
    }
    return queue;
  }

  private Path backupDirectory() {
    return directory.resolve("backup");
  }

  /** Some twenty blocks, of at most 5,000 messages. */
  static int blockMessages(int events) {
    return Math.max(10, Math.min(5_000, events / 20));
  }

  private void work(Stage stage, DemoReport report) throws Exception {
    CountDownLatch halfway = new CountDownLatch(1);
    Workers workers = new Workers();
    for (Role role : Role.values()) {
      for (int i = 0; i < role.consumers; i++) {
        Pace pace = new Pace(time, rate * role.pace);
        DemoConsumer consumer = new DemoConsumer(role, i, stage, ledgers.of(role), pace);
        workers.start("CONSUMER-" + role.label + "-" + i, consumer);
      }
    }
    for (int i = 0; i < PUBLISHERS; i++) {
      Pace pace = new Pace(time, rate / PUBLISHERS);
      workers.start("PRODUCER-" + i, new DemoPublisher(i, PUBLISHERS, stage, halfway, pace));
    }
    try {
      watch(stage, report, halfway, workers);
    } finally {
      workers.stop(); // those that still run: it gave up, or failed itself
    }
    workers.join();
  }

  private void watch(Stage stage, DemoReport report, CountDownLatch halfway, Workers workers) {
    long seen = -1;
    long since = time.nanoTime();
    while (workers.running()) {
      if (restart == null && halfway.getCount() == 0) {
        restart(stage, report);
      }
      report.glance();
      long done = stage.published().count() + ledgers.finished();
      if (done != seen) {
        seen = done;
        since = time.nanoTime();
      } else if (time.nanoTime() - since > PATIENCE.toNanos()) {
        report.say("Nothing has moved for " + PATIENCE.toSeconds() + " seconds: giving up.");
        return;
      }
      time.park(this, GLANCE_NANOS);
    }
  }

  private void restart(Stage stage, DemoReport report) {
    report.status();
    report.say("      closing the queue while everybody is at work, and opening it again");
    int before = stage.published().count();
    long start = time.nanoTime();
    stage.handle().restart();
    long millis = (time.nanoTime() - start) / 1_000_000;
    restart =
        String.format(
            Locale.ROOT,
            "after %s, closed and open again in %,d ms",
            Amount.grouped(before, "event"),
            millis);
    report.say("      open again after " + millis + " ms");
  }

  /** Waits until all blocks but the one in use are in the backup. */
  private void settle(Stage stage, DemoReport report) {
    MessageQueue<String> queue = stage.handle().current();
    long start = time.nanoTime();
    while (queue.stats().blocks() > 1 && time.nanoTime() - start < PATIENCE.toNanos()) {
      report.glance();
      time.park(this, GLANCE_NANOS);
    }
    report.status();
  }

  private static List<String> leftovers(MessageQueue<String> queue) {
    List<String> leftovers = new ArrayList<>();
    for (Role role : Role.values()) {
      Delivery<String> extra = queue.subscriber(role.config()).next();
      if (extra != null) {
        leftovers.add(role.label + ": still gets sequence " + extra.sequence() + " at the end");
      }
    }
    if (queue.stats().blocks() > 1) {
      leftovers.add(queue.stats().blocks() - 1 + " finished blocks are not in the backup");
    }
    return leftovers;
  }
}
