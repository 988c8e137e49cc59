package com.wookler.river.examples.demo;

import com.wookler.river.common.TimeSource;
import com.wookler.river.common.utils.Amount;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.examples.utils.Progress;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Locale;

/** Prints the progress of the demo: one line per second, and a progress bar on a terminal. */
final class DemoReport implements AutoCloseable {
  private static final int COLUMNS = 110;
  private static final long SECOND = 1_000_000_000L;

  private final PrintWriter out;
  private final TimeSource time;
  private final DemoContext context;
  private final DeliveryRecords records;
  private final Path backups;
  private final Progress progress;
  private final long start;
  private long lastLine; // confined, like lastPublished, to the thread that runs the demo
  private int lastPublished;

  DemoReport(
      PrintWriter out,
      TimeSource time,
      DemoContext context,
      DeliveryRecords records,
      Path backups) {
    this.out = out;
    this.time = time;
    this.context = context;
    this.records = records;
    this.backups = backups;
    this.start = time.nanoTime();
    this.lastLine = start;
    this.progress =
        Progress.of("Deliveries", (long) context.events().count() * DemoSubscriber.values().length);
  }

  /** Prints a status line if a second has passed. */
  void glance() {
    progress.to(records.finished());
    if (time.nanoTime() - lastLine >= SECOND) {
      status();
    }
  }

  /** Prints the number of messages read from the backups, if a second has passed. */
  void readBack(long messages) {
    long now = time.nanoTime();
    if (now - lastLine >= SECOND) {
      say("      " + Amount.grouped(messages, "message") + " read back from the backups");
      lastLine = now;
    }
  }

  /** Prints a line. */
  void say(String line) {
    // On a terminal the line replaces the bar, which is drawn again below.
    out.println(progress.visible() ? String.format("\r%-" + COLUMNS + "s", line) : line);
  }

  /** Prints a status line. */
  void status() {
    long now = time.nanoTime();
    int published = context.published().count();
    double rate = (published - lastPublished) * (double) SECOND / Math.max(1, now - lastLine);
    MessageQueue<String> queue = context.handle().current();
    StringBuilder line = new StringBuilder();
    line.append(
        String.format(
            Locale.ROOT,
            "%4ds  published %,d (%,.0f/s)  lag",
            (now - start) / SECOND,
            published,
            rate));
    for (DemoSubscriber role : DemoSubscriber.values()) {
      long lag = queue.subscriber(role.config()).stats().lag();
      line.append(String.format(Locale.ROOT, " %s %,d", role.label, lag));
    }
    line.append(
        String.format(
            Locale.ROOT,
            "  redelivered %,d  blocks %,d  backups %,d",
            records.repeated(),
            queue.stats().blocks(),
            BackupCheck.count(backups)));
    say(line.toString());
    lastLine = now;
    lastPublished = published;
  }

  @Override
  public void close() {
    progress.close();
  }
}
