package com.wookler.river.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.testing.CapturedLog;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

class AwayStateTest {
  private final ManualTimeSource time = new ManualTimeSource(Instant.EPOCH);
  private final AwayState state =
      new AwayState(LoggerFactory.getLogger(AwayStateTest.class), "It", time);

  @Test
  void shouldLogALineAMinuteOfEachKindWhenFailingAndWorkingAlternate() {
    try (CapturedLog log = new CapturedLog(AwayStateTest.class.getName(), Level.INFO)) {
      for (int n = 0; n < 90; n++) {
        state.failed(new IllegalStateException("no"));
        assertThat(state.failure()).contains("no");
        state.working();
        assertThat(state.failure()).isNull();
        assertThat(state.since()).isNull();
        time.advance(Duration.ofSeconds(1));
      }
      assertThat(log.lines()).hasSize(4);
      assertThat(log.warnings()).hasSize(2);
      assertThat(log.lines().get(1)).isEqualTo("It works again");
    }
    assertThat(state.failures()).isEqualTo(90);
  }
}
