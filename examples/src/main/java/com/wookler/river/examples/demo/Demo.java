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
 * Runs the demo once: two publishers, the subscribers of {@link DemoSubscriber}, small blocks, and
 * a restart of the queue when half of the events are published, while publishers and consumers are
 * running.
 */
final class Demo {
  /** Number of publishers. */
  static final int PUBLISHERS = 2;

  private static final String QUEUE = "flights";
  private static final Duration RETENTION = Duration.ofHours(1);
  private static final long POLL_NANOS = 50_000_000;

  /** The time without progress after which the demo stops and reports what is missing. */
  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  private final Events events;
  private final Path directory;
  private final double rate;
  private final PrintWriter out;
  private final TimeSource time = TimeSource.system();
  private final DeliveryRecords records;
  private @Nullable String restart; // confined to the thread that runs the demo

  /**
   * Creates a demo.
   *
   * @param events the input
   * @param directory an empty directory for queue and backups
   * @param rate events per second of all publishers together; 0 for unlimited
   * @param out the output for progress
   */
  Demo(Events events, Path directory, double rate, PrintWriter out) {
    this.events = events;
    this.directory = directory;
    this.rate = rate;
    this.out = out;
    this.records = new DeliveryRecords(events.count(), PUBLISHERS);
  }

  /** Runs the demo to its end. */
  DemoResult run() throws Exception {
    try (RestartableQueue handle = new RestartableQueue(this::open)) {
      DemoContext context = new DemoContext(events, new PublishedSequences(events.count()), handle);
      BackupCheck backups;
      try (DemoReport report = new DemoReport(out, time, context, records, backupDirectory())) {
        work(context, report);
        settle(context, report);
        backups =
            BackupCheck.verify(handle.current(), backupDirectory(), context, report::readBack);
      }
      List<SubscriberResult> results = records.results(context.published());
      return new DemoResult(
          events.count(),
          PUBLISHERS,
          context.published(),
          results,
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
    // Before the first message and again after the restart: a block is kept until all subscribers
    // have completed it.
    for (DemoSubscriber role : DemoSubscriber.values()) {
      Subscriber<String> unused = queue.subscriber(role.config());
    }
    return queue;
  }

  private Path backupDirectory() {
    return directory.resolve("backup");
  }

  /**
   * Returns the number of messages in a block: for about twenty blocks, of at most 5,000 messages.
   */
  static int blockMessages(int events) {
    return Math.max(10, Math.min(5_000, events / 20));
  }

  private void work(DemoContext context, DemoReport report) throws Exception {
    CountDownLatch halfway = new CountDownLatch(1);
    Workers workers = new Workers();
    for (DemoSubscriber role : DemoSubscriber.values()) {
      for (int i = 0; i < role.consumers; i++) {
        RateLimiter limiter = new RateLimiter(time, rate * role.rateFactor);
        DemoConsumer consumer = new DemoConsumer(role, i, context, records.of(role), limiter);
        workers.start("CONSUMER-" + role.label + "-" + i, consumer);
      }
    }
    for (int i = 0; i < PUBLISHERS; i++) {
      RateLimiter limiter = new RateLimiter(time, rate / PUBLISHERS);
      workers.start("PRODUCER-" + i, new DemoPublisher(i, PUBLISHERS, context, halfway, limiter));
    }
    try {
      watch(context, report, halfway, workers);
    } finally {
      workers.stop(); // those that still run, after a timeout or a failure
    }
    workers.join();
  }

  private void watch(
      DemoContext context, DemoReport report, CountDownLatch halfway, Workers workers) {
    long seen = -1;
    long since = time.nanoTime();
    while (workers.running()) {
      if (restart == null && halfway.getCount() == 0) {
        restart(context, report);
      }
      report.glance();
      long done = context.published().count() + records.finished();
      if (done != seen) {
        seen = done;
        since = time.nanoTime();
      } else if (time.nanoTime() - since > TIMEOUT.toNanos()) {
        report.say(
            "Nothing has moved for " + TIMEOUT.toSeconds() + " seconds; the demo is stopped.");
        return;
      }
      time.park(this, POLL_NANOS);
    }
  }

  private void restart(DemoContext context, DemoReport report) {
    report.status();
    report.say("      closing the queue while it is in use, and opening it again");
    int before = context.published().count();
    long start = time.nanoTime();
    context.handle().restart();
    long millis = (time.nanoTime() - start) / 1_000_000;
    restart =
        String.format(
            Locale.ROOT,
            "after %s, closed and open again in %,d ms",
            Amount.grouped(before, "event"),
            millis);
    report.say("      open again after " + millis + " ms");
  }

  /** Waits until all blocks except the active one are in the backup. */
  private void settle(DemoContext context, DemoReport report) {
    MessageQueue<String> queue = context.handle().current();
    long start = time.nanoTime();
    while (queue.stats().blocks() > 1 && time.nanoTime() - start < TIMEOUT.toNanos()) {
      report.glance();
      time.park(this, POLL_NANOS);
    }
    report.status();
  }

  private static List<String> leftovers(MessageQueue<String> queue) {
    List<String> leftovers = new ArrayList<>();
    for (DemoSubscriber role : DemoSubscriber.values()) {
      Delivery<String> extra = queue.subscriber(role.config()).next();
      if (extra != null) {
        leftovers.add(role.label + ": still gets sequence " + extra.sequence() + " at the end");
      }
    }
    if (queue.stats().blocks() > 1) {
      leftovers.add(queue.stats().blocks() - 1 + " completed blocks are not in the backup");
    }
    return leftovers;
  }
}
