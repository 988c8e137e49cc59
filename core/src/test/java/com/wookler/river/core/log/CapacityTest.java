package com.wookler.river.core.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;

class CapacityTest {
  private final Blocks blocks = new Blocks();
  private long end;
  private final Capacity room = new Capacity(new ReentrantLock(), blocks, () -> end);

  private void limit(long messages, long bytes, boolean discards) {
    blocks.add(new Block(1, 0, Path.of("b1")));
    room.limit(new CapacityLimits(messages, bytes, discards));
  }

  private void append(int count, int bytes) {
    end += count;
    room.appended(end - count, end, bytes);
  }

  @Test
  void shouldAdmitAnythingWithoutLimits() {
    assertThat(room.admits(Long.MAX_VALUE, Integer.MAX_VALUE)).isTrue();
    room.free(0);
    assertThat(room.admits(Long.MAX_VALUE, Integer.MAX_VALUE)).isTrue();
    assertThat(room.discardBelow()).isZero();
  }

  @Test
  void shouldHaveTheFirstBoundComputed() {
    limit(10, Long.MAX_VALUE, false);
    assertThat(room.admits(1, 100)).isFalse();
    room.free(0);
    assertThat(room.admits(10, 100)).isTrue();
    assertThat(room.admits(11, 100)).isFalse();
    room.free(5);
    assertThat(room.admits(15, 100)).isTrue();
    assertThat(room.admits(16, 100)).isFalse();
  }

  @Test
  void shouldKnowBytesToWithinA256thHoweverMuchWasWritten() {
    long limit = 1_000_000;
    limit(Long.MAX_VALUE, limit, false);
    Random random = new Random(5);
    List<Long> below = new ArrayList<>(); // of each sequence
    long written = 0;
    while (written < 30 * limit) { // more marks than there is place for
      int bytes = random.nextInt(20) == 0 ? random.nextInt(200_000) : random.nextInt(300) + 1;
      below.add(written);
      append(1, bytes);
      written += bytes;
    }
    for (int i = 0; i < 2_000; i++) {
      int back = random.nextInt((int) Math.min(end, 60_000));
      int floor = (int) end - back;
      long needed = back == 0 ? 0 : written - below.get(floor);
      if (needed > limit) {
        continue;
      }
      room.free(floor);
      long free = limit - needed;
      long slack = limit / 256;
      assertThat(room.admits(end + 1, (int) (free + slack + 1))).isFalse();
      if (free > slack) {
        assertThat(room.admits(end + 1, (int) (free - slack))).isTrue();
      }
    }
    room.free(end);
    assertThat(room.admits(end + 1, (int) limit)).isTrue(); // nothing is needed: all of it is free
    assertThat(room.admits(end + 1, (int) limit + 1)).isFalse();
  }

  @Test
  void shouldDiscardWhatIsTooMuchAndNotMuchMore() {
    limit(Long.MAX_VALUE, 100_000, true);
    List<Long> below = new ArrayList<>();
    Random random = new Random(6);
    long written = 0;
    for (int i = 0; i < 50_000; i++) {
      int bytes = random.nextInt(2_000) + 1;
      assertThat(room.admits(end + 1, bytes)).isTrue();
      below.add(written);
      append(1, bytes);
      written += bytes;
      long kept = written - below.get((int) Math.min(room.discardBelow(), end - 1));
      assertThat(kept).isLessThanOrEqualTo(100_000 + 100_000 / 256 + 2_000);
      if (written > 110_000) {
        assertThat(kept).isGreaterThan(100_000 - 100_000 / 256 - 2 * 2_000);
      }
    }
  }

  @Test
  void shouldNeverTakeBackWhatIsToBeDiscarded() {
    limit(10, Long.MAX_VALUE, true);
    long before = 0;
    for (int i = 0; i < 100; i++) {
      append(1 + i % 3, 100);
      assertThat(room.discardBelow()).isEqualTo(Math.max(before, Math.max(0, end - 10)));
      before = room.discardBelow();
    }
  }
}
