package com.wookler.river.ack.journal;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.ack.EntryState;
import com.wookler.river.ack.Limits;
import com.wookler.river.ack.Ring;
import org.junit.jupiter.api.Test;

/** What follows from facts that are incomplete. */
class ReplayTest {
  private final Replay replay = new Replay(10, false);

  @Test
  void shouldTakeFactsInAnyOrderAndTwice() {
    replay.completed(15, 5);
    replay.attempts(12, 3);
    replay.completed(10, 2);
    replay.completed(10, 2);
    replay.attempts(16, 9);
    replay.completed(13, 2);
    Ring ring = replay.complete();
    assertThat(ring.lowWatermark()).isEqualTo(12);
    assertThat(ring.attempt(12)).isEqualTo(3);
    assertThat(ring.count(EntryState.COMPLETED)).isEqualTo(7);
    assertThat(ring.count(EntryState.UNSEEN)).isEqualTo(1);
    assertThat(replay.deliveredEnd()).isEqualTo(20);
  }

  @Test
  void shouldForgetWhatWasFinishedWhenTheFloorTurnsOutToBeLower() {
    replay.completed(10, 90);
    replay.lowWatermark(50);
    assertThat(replay.lowWatermark()).isEqualTo(50);
    assertThat(replay.completedEnd()).isEqualTo(50);
    assertThat(replay.complete().count(EntryState.COMPLETED)).isZero();
  }

  @Test
  void shouldMakeGoodWhatWasLostBelowAKnownFloor() {
    replay.completed(60, 5);
    replay.lowWatermark(50);
    assertThat(replay.lowWatermark()).isEqualTo(50);
    assertThat(replay.complete().count(EntryState.COMPLETED)).isEqualTo(5);
  }

  @Test
  void shouldForgetWhatWasFinishedAheadOfARestart() {
    replay.completed(60, 5);
    replay.attempts(70, 4);
    replay.restart(50);
    assertThat(replay.deliveredEnd()).isEqualTo(50);
    assertThat(replay.complete().end()).isEqualTo(50);
  }

  @Test
  void shouldRememberTheEndOfWhatIsTooFarAheadToKeep() {
    long far = 10 + 3L * Limits.MAX_WINDOW;
    replay.completed(far, 5);
    replay.attempts(far + 20, 2);
    assertThat(replay.completedEnd()).isEqualTo(far + 5);
    assertThat(replay.deliveredEnd()).isEqualTo(far + 21);
    Ring ring = replay.complete();
    assertThat(ring.lowWatermark()).isEqualTo(10);
    assertThat(ring.end()).isEqualTo(10 + Limits.MAX_WINDOW);
    assertThat(ring.attempt(10)).isEqualTo(1);
  }
}
