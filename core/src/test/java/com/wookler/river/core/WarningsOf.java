package com.wookler.river.core;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import org.slf4j.LoggerFactory;

/** What is logged below a package as a warning while it is open. */
final class WarningsOf implements AutoCloseable {
  private final ListAppender<ILoggingEvent> events = new ListAppender<>();
  private final Logger logger;

  WarningsOf(String name) {
    logger = (Logger) LoggerFactory.getLogger(name);
    events.start();
    logger.addAppender(events);
  }

  List<String> all() {
    return List.copyOf(events.list).stream()
        .filter(event -> event.getLevel().isGreaterOrEqual(Level.WARN))
        .map(ILoggingEvent::getFormattedMessage)
        .toList();
  }

  @Override
  public void close() {
    logger.detachAppender(events);
  }
}
