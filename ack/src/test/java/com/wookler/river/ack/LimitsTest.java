package com.wookler.river.ack;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.wookler.river.common.errors.ConfigurationException;
import org.junit.jupiter.api.Test;

class LimitsTest {
  @Test
  void shouldNameTheLimitThatIsOutOfRange() {
    assertThatThrownBy(() -> new Limits(0, 1, 1))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("ack timeout is 0 ms");
    assertThatThrownBy(() -> new Limits(1, 0, 1)).hasMessageContaining("in-flight limit is 0");
    assertThatThrownBy(() -> new Limits(1, 1, Limits.MAX_WINDOW + 1))
        .hasMessageContaining("window is 1048577; it must be 1 to 1048576");
    assertThatThrownBy(() -> new InitialPosition(-1, 0))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
