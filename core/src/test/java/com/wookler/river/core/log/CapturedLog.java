package com.wookler.river.core.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import org.slf4j.LoggerFactory;

/** What is logged below a package while it is open. */
final class CapturedLog implements AutoCloseable {
  private final ListAppender<ILoggingEvent> events = new ListAppender<>();
  private final Logger logger;

  CapturedLog(String name) {
    logger = (Logger) LoggerFactory.getLogger(name);
    events.start();
    logger.addAppender(events);
  }

  /** The warnings so far, and forgets them. */
  List<String> warnings() {
    List<String> warnings =
        List.copyOf(events.list).stream()
            .filter(event -> event.getLevel().isGreaterOrEqual(Level.WARN))
            .map(ILoggingEvent::getFormattedMessage)
            .toList();
    events.list.clear();
    return warnings;
  }

  @Override
  public void close() {
    logger.detachAppender(events);
  }
}
