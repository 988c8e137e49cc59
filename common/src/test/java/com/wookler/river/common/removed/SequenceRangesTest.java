package com.wookler.river.common.removed;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SequenceRangesTest {
  private static final int MOST = 60;

  @Test
  void shouldHoldWhatASetOfSingleSequencesHolds() {
    Random random = new Random(1);
    for (int round = 0; round < 2_000; round++) {
      BitSet expected = new BitSet();
      SequenceRanges ranges = SequenceRanges.NONE;
      for (int i = random.nextInt(12); i > 0; i--) {
        int from = random.nextInt(MOST);
        int end = Math.min(MOST, from + random.nextInt(6));
        expected.set(from, Math.max(from, end));
        ranges = SequenceRanges.union(List.of(SequenceRanges.between(from, end), ranges));
      }
      check(ranges, expected);
      int from = random.nextInt(MOST);
      int end = from + random.nextInt(MOST);
      BitSet within = expected.get(0, MOST);
      within.clear(0, from);
      within.clear(Math.min(end, MOST), MOST);
      check(ranges.within(from, end), within);
      assertThat(ranges.count(from, end)).isEqualTo(within.cardinality());
    }
  }

  private static void check(SequenceRanges ranges, BitSet expected) {
    for (int i = 0; i <= MOST; i++) {
      assertThat(ranges.contains(i)).isEqualTo(expected.get(i));
      assertThat(ranges.endOf(i)).isEqualTo(expected.nextClearBit(i));
    }
    assertThat(ranges.size()).isEqualTo(expected.cardinality());
    assertThat(ranges.isEmpty()).isEqualTo(expected.isEmpty());
    for (int i = 1; i < ranges.ranges(); i++) {
      assertThat(ranges.start(i)).isGreaterThan(ranges.end(i - 1));
    }
    assertThat(SequenceRanges.of(expected.stream().asLongStream().toArray())).isEqualTo(ranges);
  }
}
