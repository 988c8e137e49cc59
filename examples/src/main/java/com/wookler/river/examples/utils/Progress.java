package com.wookler.river.examples.utils;

import com.wookler.river.common.utils.Terminal;
import java.io.PrintStream;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import org.jspecify.annotations.Nullable;

/** Shows a progress bar on standard error if that is a terminal. Thread-safe. */
public final class Progress implements AutoCloseable {
  private static final int COLUMNS = 100;

  private final @Nullable ProgressBar bar;

  private Progress(@Nullable ProgressBar bar) {
    this.bar = bar;
  }

  /** Creates a progress bar if standard error is a {@linkplain Terminal#interactive() terminal}. */
  public static Progress of(String task, long max) {
    return Terminal.interactive() ? on(System.err, task, max) : new Progress(null);
  }

  static Progress on(PrintStream stream, String task, long max) {
    return new Progress(
        new ProgressBarBuilder()
            .setTaskName(task)
            .setInitialMax(max)
            .setStyle(ProgressBarStyle.ASCII)
            .setUpdateIntervalMillis(200)
            .setConsumer(new ConsoleProgressBarConsumer(stream, COLUMNS))
            .build());
  }

  /** Returns whether there is a bar. */
  public boolean visible() {
    return bar != null;
  }

  /** Sets the progress. */
  public void to(long value) {
    if (bar != null) {
      bar.stepTo(value);
    }
  }

  /** Removes the bar. */
  @Override
  public void close() {
    if (bar != null) {
      bar.close();
    }
  }
}
