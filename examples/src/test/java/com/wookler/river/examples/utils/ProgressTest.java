package com.wookler.river.examples.utils;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class ProgressTest {
  @Test
  void shouldShowNothingWhereThereIsNoTerminal() {
    try (Progress progress = Progress.of("Messages", 10)) {
      progress.to(5);
      assertThat(progress.visible()).isFalse();
    }
  }

  @Test
  void shouldDrawABarInAscii() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    PrintStream stream = new PrintStream(bytes, true, StandardCharsets.UTF_8);
    try (Progress progress = Progress.on(stream, "Messages", 10)) {
      progress.to(10);
      assertThat(progress.visible()).isTrue();
    }

    assertThat(bytes.toString(StandardCharsets.UTF_8))
        .contains("Messages")
        .contains("100%")
        .matches("(?s)\\p{ASCII}*");
  }
}
