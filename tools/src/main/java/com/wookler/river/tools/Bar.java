package com.wookler.river.tools;

import com.wookler.river.common.utils.Terminal;
import com.wookler.river.core.inspect.Progress;
import java.io.PrintStream;
import java.util.function.Consumer;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import org.jspecify.annotations.Nullable;

/**
 * A progress bar on standard error if a terminal is looked at, else nothing. What takes no time has
 * none. It has a line of its own: what is printed meanwhile goes through {@link #above}, and
 * results are printed once it is closed.
 */
final class Bar implements Progress, AutoCloseable {
  /** So much is read in a fraction of a second. */
  static final long WORTH_A_BAR = 64L << 20;

  private static final int COLUMNS = 100;
  private static final long MEGABYTE = 1L << 20;

  private final String task;
  private final PrintStream stream;
  private final boolean terminal;
  private @Nullable ProgressBar bar;

  Bar(String task) {
    this(task, System.err, Terminal.interactive());
  }

  Bar(String task, PrintStream stream, boolean terminal) {
    this.task = task;
    this.stream = stream;
    this.terminal = terminal;
  }

  @Override
  public void total(long bytes) {
    if (!terminal || bytes < WORTH_A_BAR) {
      return;
    }
    bar =
        new ProgressBarBuilder()
            .setTaskName(task)
            .setInitialMax(bytes)
            .setUnit(" MB", MEGABYTE)
            .setStyle(ProgressBarStyle.UNICODE_BLOCK)
            .setUpdateIntervalMillis(200)
            .setConsumer(new ConsoleProgressBarConsumer(stream, COLUMNS))
            .build();
  }

  @Override
  public void done(long bytes) {
    if (bar != null) {
      bar.stepBy(bytes);
    }
  }

  /** Prints in the place of the bar, which comes again below. */
  <T> Consumer<T> above(Consumer<T> print) {
    return text -> {
      if (bar != null) {
        stream.print("\r" + " ".repeat(COLUMNS) + "\r");
        stream.flush();
      }
      print.accept(text);
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
