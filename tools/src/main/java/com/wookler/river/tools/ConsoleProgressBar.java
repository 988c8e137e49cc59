package com.wookler.river.tools;

import com.wookler.river.common.utils.Terminal;
import com.wookler.river.tools.inspect.Progress;
import java.io.PrintStream;
import java.util.function.Consumer;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import org.jspecify.annotations.Nullable;

/**
 * Shows a progress bar on standard error if that is a terminal and the work takes long enough.
 * Lines that are printed meanwhile must go through {@link #aboveBar}, and results are printed once
 * the bar is closed.
 */
final class ConsoleProgressBar implements Progress, AutoCloseable {
  /** The size from which work has a progress bar; less is read in a fraction of a second. */
  static final long MIN_BYTES = 64L << 20;

  private static final int COLUMNS = 100;
  private static final long MEGABYTE = 1L << 20;

  private final String task;
  private final PrintStream stream;
  private final boolean terminal;
  private @Nullable ProgressBar bar;

  ConsoleProgressBar(String task) {
    this(task, System.err, Terminal.interactive());
  }

  ConsoleProgressBar(String task, PrintStream stream, boolean terminal) {
    this.task = task;
    this.stream = stream;
    this.terminal = terminal;
  }

  @Override
  public void total(long bytes) {
    if (!terminal || bytes < MIN_BYTES) {
      return;
    }
    bar =
        new ProgressBarBuilder()
            .setTaskName(task)
            .setInitialMax(bytes)
            .setUnit(" MB", MEGABYTE)
            .setStyle(ProgressBarStyle.UNICODE_BLOCK)
            .setUpdateIntervalMillis(200)
            .setConsumer(
                new ConsoleProgressBarConsumer(stream, COLUMNS) {
                  @Override
                  public void accept(String text) {
                    synchronized (stream) { // not in the middle of a finding
                      super.accept(text);
                    }
                  }
                })
            .build();
  }

  @Override
  public void done(long bytes) {
    if (bar != null) {
      bar.stepBy(bytes);
    }
  }

  /** Returns a consumer that prints above the bar. */
  <T> Consumer<T> aboveBar(Consumer<T> print) {
    return text -> {
      synchronized (stream) {
        if (bar != null) {
          stream.print("\r" + " ".repeat(COLUMNS) + "\r");
          stream.flush();
        }
        print.accept(text);
      }
    };
  }

  /** Ends the bar's line. */
  @Override
  public void close() {
    if (bar != null) {
      bar.close();
      bar = null;
    }
  }
}
