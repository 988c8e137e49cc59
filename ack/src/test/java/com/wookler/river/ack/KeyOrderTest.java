package com.wookler.river.ack;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The structure that knows which keys are locked, against maps and queues. */
class KeyOrderTest {
  private final Ring ring = new Ring(0);
  private final KeyOrder order = new KeyOrder(ring);

  private boolean enter(long sequence, long key) {
    ring.extendTo(sequence + 1);
    boolean holds = order.enter(sequence, key);
    ring.move(sequence, holds ? EntryState.IN_FLIGHT : EntryState.WAITING);
    return holds;
  }

  private long complete(long sequence) {
    ring.move(sequence, EntryState.COMPLETED);
    long next = order.leave(sequence);
    if (next >= 0) {
      ring.move(next, EntryState.READY);
    }
    ring.advance();
    return next;
  }

  @Test
  void shouldHandAKeyOnInTheOrderOfSequences() {
    assertThat(enter(0, 7)).isTrue();
    assertThat(enter(1, 7)).isFalse();
    assertThat(enter(2, 8)).isTrue();
    assertThat(enter(3, 7)).isFalse();
    assertThat(order.isLocked(7)).isTrue();
    assertThat(order.isLocked(9)).isFalse();
    assertThat(complete(2)).isEqualTo(-1);
    assertThat(order.isLocked(8)).isFalse();
    assertThat(complete(0)).isEqualTo(1);
    assertThat(complete(1)).isEqualTo(3);
    assertThat(complete(3)).isEqualTo(-1);
    assertThat(order.size()).isZero();
  }

  @Test
  void shouldLetGoOfNothingForAMessageWithoutKey() {
    enter(0, 7);
    ring.extendTo(5_000); // the ring grows by messages without a key, and these places meet its own
    for (long s = 1; s < 5_000; s++) {
      assertThat(order.leave(s)).isEqualTo(-1);
    }
    assertThat(order.isLocked(7)).isTrue();
    assertThat(enter(5_000, 7)).isFalse();
    assertThat(order.leave(0)).isEqualTo(5_000);
  }

  @Test
  void shouldTellApartKeysThatMeetInOnePlace() {
    long[] keys = new Random(1).longs(127).toArray(); // all but half of the places
    for (int i = 0; i < keys.length; i++) {
      assertThat(enter(i, keys[i])).isTrue();
    }
    assertThat(order.tableCapacity()).isEqualTo(KeyOrder.MIN_TABLE);
    for (int i = 0; i < keys.length; i += 2) {
      assertThat(complete(i)).isEqualTo(-1);
    }
    for (int i = 0; i < keys.length; i++) {
      assertThat(order.isLocked(keys[i])).isEqualTo(i % 2 == 1);
    }
  }

  @Test
  void shouldGiveItsMemoryBackWhenTheRingDoes() {
    for (long s = 0; s < 100_000; s++) {
      enter(s, s + 1);
    }
    assertThat(order.entryCapacity()).isEqualTo(131_072);
    assertThat(order.tableCapacity()).isEqualTo(262_144);
    for (long s = 0; s < 100_000; s++) {
      complete(s);
    }
    for (long s = 100_000; ring.capacity() > Ring.MIN_CAPACITY; s++) {
      enter(s, 1);
      complete(s);
    }
    enter(ring.end(), 1);
    assertThat(order.entryCapacity()).isEqualTo(Ring.MIN_CAPACITY);
    assertThat(order.tableCapacity()).isEqualTo(KeyOrder.MIN_TABLE);
  }

  @Test
  void shouldDoAsMapsDoOverALongTime() {
    Random random = new Random(5);
    Map<Long, Deque<Long>> byKey = new HashMap<>();
    Map<Long, Long> keyOf = new HashMap<>();
    Deque<Long> holders = new ArrayDeque<>();
    for (long next = 0; next < 200_000; ) {
      if (random.nextInt(100) < (next / 20_000 % 2 == 0 ? 60 : 45) || holders.isEmpty()) {
        long key = 1 + (long) Math.abs(random.nextGaussian() * 500);
        Deque<Long> line = byKey.computeIfAbsent(key, any -> new ArrayDeque<>());
        assertThat(order.isLocked(key)).isEqualTo(!line.isEmpty());
        assertThat(enter(next, key)).isEqualTo(line.isEmpty());
        if (line.isEmpty()) {
          holders.add(next);
        }
        line.add(next);
        keyOf.put(next++, key);
      } else {
        long done = random.nextBoolean() ? holders.pollFirst() : holders.pollLast();
        Deque<Long> line = byKey.get(keyOf.remove(done));
        line.removeFirst();
        assertThat(complete(done)).isEqualTo(line.isEmpty() ? -1 : line.peekFirst());
        if (!line.isEmpty()) {
          holders.add(line.peekFirst());
        }
      }
      assertThat(order.size()).isEqualTo(holders.size());
      assertThat(order.tableCapacity()).isLessThanOrEqualTo(4_096);
    }
  }
}
