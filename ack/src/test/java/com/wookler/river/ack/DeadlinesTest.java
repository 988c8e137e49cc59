package com.wookler.river.ack;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class DeadlinesTest {
  private final Ring ring = new Ring(0);
  private final Deadlines deadlines = new Deadlines(ring);

  @Test
  void shouldGiveBackInOrderOfDue() {
    Random random = new Random(7);
    TreeSet<Long> expected = new TreeSet<>();
    ring.extendTo(5000);
    for (long s = 0; s < 5000; s++) {
      long due = random.nextInt(1 << 20) * 5000L + s;
      expected.add(due);
      ring.move(s, EntryState.IN_FLIGHT);
      ring.due(s, due);
      deadlines.add(due, s);
    }
    while (!expected.isEmpty()) {
      long due = expected.first();
      assertThat(deadlines.next()).isEqualTo(due);
      assertThat(deadlines.takeDue(due - 1)).isEqualTo(-1);
      long sequence = deadlines.takeDue(due);
      assertThat(sequence).isEqualTo(due % 5000);
      ring.move(sequence, EntryState.READY);
      expected.remove(due);
    }
    assertThat(deadlines.next()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void shouldStaySmallWhenDeadlinesMoveAgainAndAgain() {
    ring.extendTo(100);
    for (long s = 0; s < 100; s++) {
      ring.move(s, EntryState.IN_FLIGHT);
    }
    for (long now = 0; now < 1_000_000; now++) {
      ring.due(now % 100, now);
      deadlines.add(now, now % 100);
    }
    assertThat(deadlines.capacity()).isEqualTo(1024);
    assertThat(deadlines.next()).isEqualTo(999_900);
  }
}
