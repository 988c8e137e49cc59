package com.wookler.river.testing;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** What is logged below a name while it is open. Thread-safe. */
public final class CapturedLog implements AutoCloseable {
  private final Logger logger;
  private final @Nullable Level levelBefore;
  private final Lines lines = new Lines();

  private static final class Lines extends AppenderBase<ILoggingEvent> {
    private final List<ILoggingEvent> all = new CopyOnWriteArrayList<>();

    @Override
    protected void append(ILoggingEvent event) {
      event.prepareForDeferredProcessing();
      all.add(event);
    }
  }

  /** Of a class. */
  public CapturedLog(Class<?> source) {
    this(source.getName());
  }

  /** Of a package and those below it. */
  public CapturedLog(String name) {
    this.logger = (Logger) LoggerFactory.getLogger(name);
    this.levelBefore = logger.getLevel();
    lines.start();
    logger.addAppender(lines);
  }

  /** From a level on, whatever the tests have set. */
  public CapturedLog(String name, org.slf4j.event.Level level) {
    this(name);
    logger.setLevel(Level.convertAnSLF4JLevel(level));
  }

  /** The messages so far. */
  public List<String> lines() {
    return lines.all.stream().map(ILoggingEvent::getFormattedMessage).toList();
  }

  /** The messages so far that are warnings, or worse. */
  public List<String> warnings() {
    return lines.all.stream()
        .filter(event -> event.getLevel().isGreaterOrEqual(Level.WARN))
        .map(ILoggingEvent::getFormattedMessage)
        .toList();
  }

  /** The warnings since they were taken the last time. */
  public List<String> takeWarnings() {
    List<String> taken = warnings();
    clear();
    return taken;
  }

  /** Whether one of them came with an exception, of which the log shows the stack. */
  public boolean hasStackTrace() {
    return lines.all.stream().anyMatch(event -> event.getThrowableProxy() != null);
  }

  /** Forgets what there is. */
  public void clear() {
    lines.all.clear();
  }

  /** Listens no more; what was captured stays. */
  @Override
  public void close() {
    logger.detachAppender(lines);
    logger.setLevel(levelBefore);
  }
}
