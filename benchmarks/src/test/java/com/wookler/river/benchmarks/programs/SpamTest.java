package com.wookler.river.benchmarks.programs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class SpamTest {
  @Test
  void shouldMakeAsManyBytesAsAsked() {
    assertThat(Spam.text(0)).isEmpty();
    assertThat(Spam.text(751)).hasSize(751).startsWith('A', ' ', 'r');
    assertThat(Spam.kilobytes(3)).hasSize(3072).containsOnly('x');
  }

  @Test
  void shouldNumberAnItemWithoutMakingItLonger() {
    byte[] item = Spam.numbered(120, Spam.kilobytes(1));

    assertThat(item).hasSize(1024);
    assertThat(new String(item, StandardCharsets.US_ASCII)).startsWith("120xx");
  }
}
