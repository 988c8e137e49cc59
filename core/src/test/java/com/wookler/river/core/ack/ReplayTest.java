package com.wookler.river.core.ack;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What follows from facts that are incomplete. */
class ReplayTest {
  private final Replay replay = new Replay(10, false);

  @Test
  void shouldTakeFactsInAnyOrderAndTwice() {
    replay.finished(15, 5);
    replay.attempts(12, 3);
    replay.finished(10, 2);
    replay.finished(10, 2);
    replay.attempts(16, 9);
    replay.finished(13, 2);
    Ring ring = replay.finish();
    assertThat(ring.floor()).isEqualTo(12);
    assertThat(ring.attempt(12)).isEqualTo(3);
    assertThat(ring.count(Ring.FINISHED)).isEqualTo(7);
    assertThat(ring.count(Ring.UNSEEN)).isEqualTo(1);
    assertThat(replay.mark()).isEqualTo(20);
  }

  @Test
  void shouldForgetWhatWasFinishedWhenTheFloorTurnsOutToBeLower() {
    replay.finished(10, 90);
    replay.floor(50);
    assertThat(replay.floor()).isEqualTo(50);
    assertThat(replay.finishedEnd()).isEqualTo(50);
    assertThat(replay.finish().count(Ring.FINISHED)).isZero();
  }

  @Test
  void shouldMakeGoodWhatWasLostBelowAKnownFloor() {
    replay.finished(60, 5);
    replay.floor(50);
    assertThat(replay.floor()).isEqualTo(50);
    assertThat(replay.finish().count(Ring.FINISHED)).isEqualTo(5);
  }

  @Test
  void shouldForgetWhatWasFinishedAheadOfARestart() {
    replay.finished(60, 5);
    replay.attempts(70, 4);
    replay.restart(50);
    assertThat(replay.mark()).isEqualTo(50);
    assertThat(replay.finish().end()).isEqualTo(50);
  }

  @Test
  void shouldRememberTheEndOfWhatIsTooFarAheadToKeep() {
    long far = 10 + 3L * Limits.MAX_WINDOW;
    replay.finished(far, 5);
    replay.attempts(far + 20, 2);
    assertThat(replay.finishedEnd()).isEqualTo(far + 5);
    assertThat(replay.mark()).isEqualTo(far + 21);
    Ring ring = replay.finish();
    assertThat(ring.floor()).isEqualTo(10);
    assertThat(ring.end()).isEqualTo(10 + Limits.MAX_WINDOW);
    assertThat(ring.attempt(10)).isEqualTo(1);
  }
}
