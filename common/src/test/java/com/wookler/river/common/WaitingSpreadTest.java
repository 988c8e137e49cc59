package com.wookler.river.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.TreeSet;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

class WaitingSpreadTest {
  private static final long BASE = 1_000;

  @Test
  void shouldSayHowManyWaitAboveAnySequence() {
    WaitingSpread spread = new WaitingSpread(BASE);
    TreeSet<Long> waiting = new TreeSet<>();
    Random random = new Random(1);
    long next = BASE;
    for (int i = 0; i < 50_000; i++) {
      next += 1 + random.nextInt(9);
      waiting.add(next);
      spread.add(next, 1);
      if (random.nextBoolean()) {
        Long done = waiting.ceiling(BASE + random.nextLong(next - BASE + 1));
        if (done != null) {
          waiting.remove(done);
          spread.add(done, -1);
        }
      }
    }
    for (int i = 0; i < 1_000; i++) {
      long sequence = BASE + random.nextLong(next - BASE);
      assertThat(spread.from(sequence))
          .isCloseTo(waiting.tailSet(sequence).size(), Offset.offset(waiting.size() / 250L + 1));
    }
    assertThat(spread.from(next + 1_000_000)).isZero();
  }

  @Test
  void shouldKnowNothingOfWhatWasBefore() {
    WaitingSpread spread = new WaitingSpread(BASE);
    spread.add(BASE - 1, 1);
    spread.add(BASE, 1);
    assertThat(spread.from(BASE)).isEqualTo(1);
    assertThat(spread.from(0)).isEqualTo(1);
    assertThat(spread.from(BASE + 1)).isZero();
  }
}
