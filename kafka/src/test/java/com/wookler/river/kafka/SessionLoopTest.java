package com.wookler.river.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.common.ManualTimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class SessionLoopTest {
  /** A session that does nothing. */
  private static final class Nothing implements SessionLoop.Session {
    @Override
    public void close() {
      // nothing is open
    }

    @Override
    public void abandon() {
      // nothing is open
    }
  }

  /** A loop whose first step fails with an error, as that of a converter. */
  private static final class Loop extends SessionLoop<Nothing> {
    private final List<String> failures = new ArrayList<>();
    private boolean failed;

    Loop() {
      super(
          LoggerFactory.getLogger(SessionLoopTest.class),
          "It",
          new BrokerProbe(List.of("any")),
          Duration.ZERO,
          new ManualTimeSource(Instant.EPOCH));
    }

    @Override
    void requireOpen() {
      // it is
    }

    @Override
    Nothing create() {
      return new Nothing();
    }

    @Override
    void begin(Nothing session) {
      // it needs no connection
    }

    @Override
    void step(Nothing session) {
      if (!failed) {
        failed = true;
        throw new StackOverflowError("deep");
      }
      failures.add(String.valueOf(state().failure()));
      stop();
    }
  }

  @Test
  void shouldTryAgainAfterAnError() {
    Loop loop = new Loop();
    loop.run();
    assertThat(loop.failures).containsExactly("StackOverflowError: deep");
    assertThat(loop.state().failures()).isEqualTo(1);
    assertThat(loop.isStopped()).isTrue();
  }
}
