package com.wookler.river.core.delay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

class DelaysTest {
  private static final long SECOND = 1_000_000;
  private static final long NUMBER = 0x5EA1_0000_1234_5678L;

  @TempDir Path base;

  @Test
  void shouldSayInALineAMinuteThatWhatIsDueCannotBeReadNow() throws IOException {
    ListAppender<ILoggingEvent> events = new ListAppender<>();
    Logger logger = (Logger) LoggerFactory.getLogger(Delays.class);
    try (DelayedLog log = new DelayedLog(base, DelayLimits.DEFAULT)) {
      log.publish(NUMBER, SECOND);
      log.run();
      log.flush();
      log.damageInFiles(NUMBER); // so that it is looked for where it came from
      log.unreadable(true);
      events.start();
      logger.addAppender(events);
      try (Delays delays = Delays.open(log.context(), Runnable::run)) {
        delays.start();
        log.advance(2);
        for (int second = 1; second <= 10; second++) {
          awaitTries(log, second);
          log.advance(1);
        }
        assertThat(warnings(events)).hasSize(1);
        assertThat(warnings(events).get(0).getFormattedMessage())
            .contains("delayed messages wait", "cannot be read now");
        assertThat(warnings(events).get(0).getThrowableProxy()).isNull();
        log.advance(60);
        awaitTries(log, log.originalsAsked.get() + 1);
        await().until(() -> warnings(events).size() == 2);
        delays.stop();
      }
    } finally {
      logger.detachAppender(events);
    }
  }

  private static void awaitTries(DelayedLog log, int tries) {
    await().until(() -> log.originalsAsked.get() >= tries);
  }

  private static List<ILoggingEvent> warnings(ListAppender<ILoggingEvent> events) {
    return List.copyOf(events.list).stream()
        .filter(event -> event.getLevel().isGreaterOrEqual(Level.WARN))
        .toList();
  }
}
