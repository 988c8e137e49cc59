package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What one subscriber must be given, kept in memory: the plainest thing that obeys the rules, to
 * hold the real one to.
 */
final class SubscriberModel {
  private enum State {
    OUT,
    DELAYED,
    READY,
    SPENT
  }

  /** A message that was handed over and is not finished. */
  private static final class Entry {
    State state = State.OUT;
    int attempts;
    long dueMillis;
    @Nullable Delivery<byte[]> latest;
  }

  private final SubscriberConfig config;
  private final Map<Long, Entry> unfinished = new TreeMap<>();
  private long position;
  private final Set<Long> dead = new TreeSet<>();
  private int deadBefore;

  SubscriberModel(SubscriberConfig config, long start) {
    this.config = config;
    this.position = start;
  }

  SubscriberConfig config() {
    return config;
  }

  /** The lowest sequence that it has not finished. */
  long floor() {
    return unfinished.isEmpty() ? position : unfinished.keySet().iterator().next();
  }

  long lag(long end) {
    return end - position + unfinished.size();
  }

  /** The deliveries whose receipts still count. */
  List<Delivery<byte[]>> out() {
    List<Delivery<byte[]>> out = new ArrayList<>();
    for (Entry entry : unfinished.values()) {
      if (entry.latest != null) {
        out.add(entry.latest);
      }
    }
    return out;
  }

  /** What falls due: ready, or waiting for its backoff first, or given up. */
  void expire(long now) {
    for (Iterator<Map.Entry<Long, Entry>> all = unfinished.entrySet().iterator(); all.hasNext(); ) {
      Map.Entry<Long, Entry> next = all.next();
      Entry entry = next.getValue();
      if (entry.state == State.OUT && entry.dueMillis <= now) {
        if (isSpent(entry)) {
          dead.add(next.getKey());
          all.remove();
          continue;
        }
        entry.state = State.DELAYED;
        entry.dueMillis += config.backoff().millis(next.getKey(), entry.attempts);
      }
      if (entry.state == State.DELAYED && entry.dueMillis <= now) {
        entry.state = State.READY;
      }
    }
  }

  private long count(State state) {
    return unfinished.values().stream().filter(entry -> entry.state == state).count();
  }

  /** A delivery that was handed over: was it one of those that had to come now? */
  void handedOver(Delivery<byte[]> delivery, long end, long now) {
    expire(now);
    long sequence = delivery.sequence();
    passed(sequence);
    if (sequence == position) {
      assertThat(count(State.READY)).as("redeliveries come first").isZero();
      position++;
      if (!config.ackRequired()) {
        assertThat(delivery.attempt()).isEqualTo(1);
        return;
      }
      unfinished.put(sequence, new Entry());
    }
    assertThat(sequence).as("delivered before it was published").isLessThan(end);
    Entry entry = unfinished.get(sequence);
    assertThat(entry).as("sequence %s, finished or out of order", sequence).isNotNull();
    if (entry.attempts > 0) {
      assertThat(entry.state).as("sequence %s is still out", sequence).isEqualTo(State.READY);
    }
    assertThat(count(State.OUT)).isLessThanOrEqualTo(config.maxInFlight());
    entry.attempts++;
    assertThat(delivery.attempt()).as("attempt of sequence %s", sequence).isEqualTo(entry.attempts);
    entry.state = State.OUT;
    entry.dueMillis = now + config.ackTimeout().toMillis();
    entry.latest = delivery;
  }

  /** A poll that gave nothing: was there really nothing to give? */
  void nothing(long end, long now) {
    expire(now);
    if (count(State.OUT) < config.maxInFlight()) {
      passed(end);
      assertThat(count(State.READY)).as("waits to be delivered again").isZero();
      if (position < end) {
        assertThat(position - floor()).as("the window is full").isEqualTo(config.window());
      }
    }
  }

  /**
   * Whether messages were given up since this was last asked, and a poll had room to pass them: the
   * real subscriber may be at their letters still.
   */
  boolean areSomeGivenUp(long end, long now) {
    expire(now);
    if (count(State.OUT) >= config.maxInFlight()) {
      return false;
    }
    passed(end);
    boolean some = dead.size() > deadBefore;
    deadBefore = dead.size();
    return some;
  }

  /** What a look must show: what is ready, and all that is new. */
  List<Long> visible(long end, long now) {
    expire(now);
    List<Long> visible = new ArrayList<>();
    unfinished.forEach(
        (sequence, entry) -> {
          if (entry.state == State.READY) {
            visible.add(sequence);
          }
        });
    for (long sequence = position; sequence < end; sequence++) {
      visible.add(sequence);
    }
    return visible;
  }

  /** Messages that were given up. */
  Set<Long> dead() {
    return dead;
  }

  void rejected(Delivery<byte[]> delivery) {
    unfinished.remove(delivery.sequence());
    dead.add(delivery.sequence());
  }

  /** Whether a delivery is the last that its message gets. */
  boolean isLast(Delivery<byte[]> delivery) {
    return config.maxDeliveries() > 0 && delivery.attempt() >= config.maxDeliveries();
  }

  private boolean isSpent(Entry entry) {
    return config.maxDeliveries() > 0 && entry.attempts >= config.maxDeliveries();
  }

  void acked(Delivery<byte[]> delivery) {
    unfinished.remove(delivery.sequence());
  }

  void ackedUpTo(Delivery<byte[]> delivery) {
    unfinished.keySet().removeIf(sequence -> sequence <= delivery.sequence());
  }

  void givenBack(Delivery<byte[]> delivery, Duration delay, long now) {
    Entry entry = unfinished.get(delivery.sequence());
    entry.state = delay.isZero() ? State.READY : State.DELAYED;
    entry.dueMillis = now + delay.toMillis();
    entry.latest = null;
  }

  void released(Delivery<byte[]> delivery) {
    Entry entry = unfinished.get(delivery.sequence());
    entry.state = State.READY;
    entry.attempts--;
    entry.latest = null;
  }

  /** The queue was closed: all that is out is void and comes again. */
  void restarted() {
    for (Entry entry : unfinished.values()) {
      entry.state = isSpent(entry) ? State.SPENT : State.READY;
      entry.latest = null;
    }
  }

  /** A poll has gone past what the runs before had used up. */
  private void passed(long end) {
    unfinished
        .entrySet()
        .removeIf(
            entry ->
                entry.getKey() < end
                    && entry.getValue().state == State.SPENT
                    && dead.add(entry.getKey()));
  }
}
