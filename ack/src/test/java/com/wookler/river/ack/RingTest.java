package com.wookler.river.ack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class RingTest {
  private final Ring ring = new Ring(10);

  @Test
  void shouldKeepEntriesWhenItGrows() {
    ring.extendTo(900);
    for (long s = 10; s < 900; s++) {
      ring.move(s, EntryState.IN_FLIGHT);
      ring.move(s, EntryState.COMPLETED);
    }
    ring.advance();
    assertThat(ring.lowWatermark()).isEqualTo(900);
    ring.extendTo(4000);
    for (long s = 900; s < 4000; s++) {
      ring.address(s, 3 * s);
      ring.due(s, s);
      ring.attempt(s, (int) s);
    }
    ring.extendTo(40_000);
    assertThat(ring.capacity()).isEqualTo(65_536);
    for (long s = 900; s < 4000; s++) {
      assertThat(ring.address(s)).isEqualTo(3 * s);
      assertThat(ring.due(s)).isEqualTo((int) s);
      assertThat(ring.attempt(s)).isEqualTo((int) s);
    }
    assertThat(ring.attempt(4000)).isZero();
    assertThat(ring.end()).isEqualTo(40_000);
  }

  @Test
  void shouldShrinkWhenQuietForLong() {
    ring.extendTo(100_000);
    ring.raise(100_000);
    assertThat(ring.capacity()).isEqualTo(131_072);
    for (int i = 0; i < 10_000; i++) {
      ring.extendTo(ring.end() + 1);
      ring.move(ring.lowWatermark(), EntryState.COMPLETED);
      ring.advance();
    }
    assertThat(ring.capacity()).isEqualTo(Ring.MIN_CAPACITY);
    assertThat(ring.count(EntryState.COMPLETED)).isZero();
    assertThat(ring.count(EntryState.UNSEEN)).isZero();
  }

  @Test
  void shouldRefuseATransitionThatMakesNoSense() {
    ring.extendTo(11);
    assertThatThrownBy(() -> ring.move(10, EntryState.READY))
        .isInstanceOf(IllegalStateException.class);
    ring.move(10, EntryState.COMPLETED);
    for (EntryState state : EntryState.values()) {
      assertThatThrownBy(() -> ring.move(10, state)).isInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  void shouldWrapTheTokenWithoutTouchingItsNeighbours() {
    ring.extendTo(11);
    ring.attempt(10, DeliveryTag.MAX_ATTEMPT);
    ring.move(10, EntryState.IN_FLIGHT);
    int before = ring.meta(10);
    for (int i = 0; i < 1 << DeliveryTag.TOKEN_BITS; i++) {
      ring.nextToken(10);
      assertThat(ring.attempt(10)).isEqualTo(DeliveryTag.MAX_ATTEMPT);
      assertThat(ring.state(10)).isEqualTo(EntryState.IN_FLIGHT);
    }
    assertThat(ring.meta(10)).isEqualTo(before);
  }
}
