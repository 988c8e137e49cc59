package com.wookler.river.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class ConsoleProgressBarTest {
  private final ByteArrayOutputStream shown = new ByteArrayOutputStream();
  private final PrintStream screen = new PrintStream(shown, true, StandardCharsets.UTF_8);

  private String run(boolean terminal) {
    try (ConsoleProgressBar bar = new ConsoleProgressBar("verify", screen, terminal)) {
      bar.total(ConsoleProgressBar.MIN_BYTES);
      bar.done(ConsoleProgressBar.MIN_BYTES / 2);
      bar.<String>aboveBar(screen::println).accept("a finding");
      bar.done(ConsoleProgressBar.MIN_BYTES / 2);
    }
    screen.println("the result");
    return shown.toString(StandardCharsets.UTF_8);
  }

  @Test
  void shouldShowNothingWhereThereIsNoTerminal() {
    assertThat(run(false).lines()).containsExactly("a finding", "the result");
  }

  @Test
  void shouldLeaveALineOfTheirOwnToFindingsAndResults() {
    String screen = run(true);

    assertThat(screen).contains("verify", "100%");
    List<String> lines = Arrays.asList(screen.split("[\\r\\n]+"));
    assertThat(lines).contains("a finding", "the result");
  }

  @Test
  void shouldPrintNoBarInTheMiddleOfAFinding() {
    try (ConsoleProgressBar bar = new ConsoleProgressBar("verify", screen, true)) {
      bar.total(ConsoleProgressBar.MIN_BYTES);
      bar.<String>aboveBar(
              text -> {
                screen.print("a ");
                bar.done(ConsoleProgressBar.MIN_BYTES / 2);
                await().pollDelay(Duration.ofMillis(600)).until(() -> true); // three intervals
                screen.println(text);
              })
          .accept("finding");
    }
    assertThat(shown.toString(StandardCharsets.UTF_8)).contains("\ra finding");
  }
}
