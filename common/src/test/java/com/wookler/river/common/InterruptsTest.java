package com.wookler.river.common;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.wookler.river.common.errors.RiverException;
import java.nio.channels.ClosedByInterruptException;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class InterruptsTest {
  private int calls;

  @AfterEach
  void clear() {
    Thread.interrupted();
  }

  /** Work that so many interrupts end before it succeeds. */
  private Supplier<String> endedBy(int interrupts) {
    return () -> {
      assertThat(Thread.currentThread().isInterrupted()).isFalse();
      if (++calls <= interrupts) {
        Thread.currentThread().interrupt(); // as the channel leaves it
        throw new RiverException(
            "cannot open", new RiverException("cannot map", new ClosedByInterruptException()));
      }
      return "done";
    };
  }

  @Test
  void shouldRunWorkWithTheFlagDownAndPutItUpAgain() {
    Thread.currentThread().interrupt();
    assertThat(Interrupts.deferred(endedBy(0))).isEqualTo("done");
    assertThat(Thread.interrupted()).isTrue();
    assertThat(Interrupts.deferred(endedBy(0))).isEqualTo("done");
    assertThat(Thread.interrupted()).isFalse();
  }

  @Test
  void shouldRunItAgainWhereAnInterruptHasClosedAFile() {
    assertThat(Interrupts.deferred(endedBy(2))).isEqualTo("done");
    assertThat(calls).isEqualTo(3);
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void shouldEndWhereInterruptsDoNotEnd() {
    assertThatThrownBy(() -> Interrupts.deferred(endedBy(1_000)))
        .hasRootCauseInstanceOf(ClosedByInterruptException.class);
    assertThat(calls).isEqualTo(5);
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void shouldRunNothingAgainThatFailsOtherwise() {
    Supplier<String> failing =
        () -> {
          calls++;
          throw new RiverException("cannot open");
        };
    assertThatThrownBy(() -> Interrupts.deferred(failing)).hasMessage("cannot open");
    assertThat(calls).isEqualTo(1);
  }
}
