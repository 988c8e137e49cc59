package com.wookler.river.rest.server.hosting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TextTest {
  @ParameterizedTest
  @ValueSource(
      strings = {"9999999999s", "99999d", "9999999999999", "PT94431h9753956801.6s", "P99999DT1S"})
  void shouldRefuseDurationsThatAreTooLong(String text) {
    assertThatThrownBy(() -> ContractFormat.duration("wait", text))
        .isInstanceOf(RequestException.class)
        .hasMessageContaining("is more than 36500d");
  }

  @Test
  void shouldTakeTheLongestDuration() {
    assertThat(ContractFormat.duration("wait", "36500d")).isEqualTo(Duration.ofDays(36_500));
  }
}
