package com.wookler.river.common.utils;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class AmountTest {
  @Test
  void shouldBeRightForOneAndForMany() {
    assertThat(Amount.of(0, "block")).isEqualTo("0 blocks");
    assertThat(Amount.of(1, "block")).isEqualTo("1 block");
    assertThat(Amount.of(1234, "block")).isEqualTo("1234 blocks");
    assertThat(Amount.grouped(1, "message")).isEqualTo("1 message");
    assertThat(Amount.grouped(1_234_567, "message")).isEqualTo("1,234,567 messages");
  }
}
