package com.wookler.river.tools;

import com.wookler.river.common.utils.Terminal;
import com.wookler.river.core.inspect.Progress;
import java.io.PrintStream;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import org.jspecify.annotations.Nullable;

/**
 * A progress bar on standard error, of plain ASCII where there is no console. What takes no time
 * has none.
 */
final class Bar implements Progress, AutoCloseable {
  /** So much is read in a fraction of a second. */
  static final long WORTH_A_BAR = 64L << 20;

  private static final int COLUMNS = 100;
  private static final long MEGABYTE = 1L << 20;

  private final String task;
  private final PrintStream stream;
  private final boolean console;
  private @Nullable ProgressBar bar;

  Bar(String task) {
    this(task, System.err, Terminal.interactive());
  }

  Bar(String task, PrintStream stream, boolean console) {
    this.task = task;
    this.stream = stream;
    this.console = console;
  }

  @Override
  public void total(long bytes) {
    if (bytes < WORTH_A_BAR) {
      return;
    }
    bar =
        new ProgressBarBuilder()
            .setTaskName(task)
            .setInitialMax(bytes)
            .setUnit(" MB", MEGABYTE)
            .setStyle(console ? ProgressBarStyle.UNICODE_BLOCK : ProgressBarStyle.ASCII)
            .setUpdateIntervalMillis(console ? 200 : 2_000)
            .setConsumer(new ConsoleProgressBarConsumer(stream, COLUMNS))
            .build();
  }

  @Override
  public void done(long bytes) {
    if (bar != null) {
      bar.stepBy(bytes);
    }
  }

  /** Ends the bar's line. */
  @Override
  public void close() {
    if (bar != null) {
      bar.close();
    }
  }
}
