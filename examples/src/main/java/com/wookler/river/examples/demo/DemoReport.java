package com.wookler.river.examples.demo;

import com.wookler.river.common.TimeSource;
import com.wookler.river.common.utils.Amount;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.examples.utils.Progress;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Locale;

/** Shows what happens while it happens: a line a second, and a bar on a terminal. */
final class DemoReport implements AutoCloseable {
  private static final int COLUMNS = 110;
  private static final long SECOND = 1_000_000_000L;

  private final PrintWriter out;
  private final TimeSource time;
  private final Stage stage;
  private final Ledgers ledgers;
  private final Path backups;
  private final Progress progress;
  private final long start;
  private long lastLine; // confined, like lastPublished, to the thread that runs the demo
  private int lastPublished;

  DemoReport(PrintWriter out, TimeSource time, Stage stage, Ledgers ledgers, Path backups) {
    this.out = out;
    this.time = time;
    this.stage = stage;
    this.ledgers = ledgers;
    this.backups = backups;
    this.start = time.nanoTime();
    this.lastLine = start;
    this.progress = Progress.of("Deliveries", (long) stage.events().count() * Role.values().length);
  }

  /** Called often; shows something every second. */
  void glance() {
    progress.to(ledgers.finished());
    if (time.nanoTime() - lastLine >= SECOND) {
      status();
    }
  }

  /** How many messages were read back from the backups; shown every second. */
  void readBack(long messages) {
    long now = time.nanoTime();
    if (now - lastLine >= SECOND) {
      say("      " + Amount.grouped(messages, "message") + " read back from the backups");
      lastLine = now;
    }
  }

  /** Says something now. */
  void say(String line) {
    // On a terminal the line takes the bar's place, and the bar is drawn again below.
    out.println(progress.visible() ? String.format("\r%-" + COLUMNS + "s", line) : line);
  }

  /** The line of the second. */
  void status() {
    long now = time.nanoTime();
    int published = stage.published().count();
    double rate = (published - lastPublished) * (double) SECOND / Math.max(1, now - lastLine);
    MessageQueue<String> queue = stage.handle().current();
    StringBuilder line = new StringBuilder();
    line.append(
        String.format(
            Locale.ROOT,
            "%4ds  published %,d (%,.0f/s)  lag",
            (now - start) / SECOND,
            published,
            rate));
    for (Role role : Role.values()) {
      long lag = queue.subscriber(role.config()).stats().lag();
      line.append(String.format(Locale.ROOT, " %s %,d", role.label, lag));
    }
    line.append(
        String.format(
            Locale.ROOT,
            "  redelivered %,d  blocks %,d  backups %,d",
            ledgers.repeated(),
            queue.stats().blocks(),
            Backups.count(backups)));
    say(line.toString());
    lastLine = now;
    lastPublished = published;
  }

  @Override
  public void close() {
    progress.close();
  }
}
