package com.wookler.river.rest.client;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class TimeoutCheckerTest {
  @Test
  void shouldWatchATaskUntilItIsRemoved() {
    AtomicInteger ended = new AtomicInteger();
    TimeoutChecker.TimedTask late =
        new TimeoutChecker.TimedTask() {
          @Override
          public boolean isTimedOut(long now) {
            return true;
          }

          @Override
          public void end() {
            ended.incrementAndGet(); // as where an answer came meanwhile
          }
        };
    Duration some = Duration.ofMillis(100);
    try (Transport transport =
        new Transport(
            Servers.of(List.of("http://127.0.0.1:1")),
            new Transport.Settings(null, some, some, some, some, null))) {
      TimeoutChecker checker = transport.timeouts();
      checker.add(late);
      await().until(() -> ended.get() > 2);
      checker.remove(late);
    }
  }
}
