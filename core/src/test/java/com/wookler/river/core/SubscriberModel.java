package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Order;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.LongPredicate;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * What one subscriber must be given, kept in memory: the plainest thing that obeys the rules, to
 * hold the real one to. Whoever asks it says first what time it is: {@link #expire}.
 */
final class SubscriberModel {
  private enum State {
    OUT,
    DELAYED,
    READY,
    /** For its key. */
    WAITING,
    /** Given up, and not finished before its dead letter is safe. */
    DYING
  }

  /** A message that was read and is not finished. */
  private static final class Entry {
    State state = State.READY;
    boolean wasHandedOver;
    boolean hasLetter;
    int attempts;
    long dueMillis;
    long handedOverMillis;
    @Nullable Delivery<byte[]> latest; // while its receipt counts
  }

  private final SubscriberConfig config;
  private final LogModel log;
  private final NavigableMap<Long, Entry> read = new TreeMap<>(); // below the position
  private final NavigableMap<Long, Integer> tried = new TreeMap<>(); // above, by runs before
  private final Set<Long> finished = new TreeSet<>(); // as above
  private final NavigableMap<Long, Long> delayedUntil = new TreeMap<>(); // as above
  private final List<Long> dead = new ArrayList<>();
  private final List<Long> perhapsDead = new ArrayList<>();
  private final List<Delivery<byte[]>> stale = new ArrayList<>();
  private long position;
  private boolean paused;
  private boolean timedOut; // since it was asked
  private @Nullable Object opened; // the real one
  private double paidMillis; // until when its rate is used up
  private long now;
  private final @Nullable LeaseModel lease; // null: it is not exclusive

  SubscriberModel(SubscriberConfig config, LogModel log, long start) {
    this.config = config;
    this.log = log;
    this.position = start;
    this.lease = config.exclusive() ? new LeaseModel(config.lease()) : null;
  }

  @Nullable LeaseModel lease() {
    return lease;
  }

  /** A consumer polls: whether it may be given something. */
  boolean polls() {
    LeaseModel.Result result = lease == null ? LeaseModel.Result.HELD : lease.take(now);
    if (result == LeaseModel.Result.TAKEN_OVER) {
      takeBack();
    }
    return result != LeaseModel.Result.REFUSED;
  }

  /** Receipts of the owner before count no more, and what was out comes again. */
  private void takeBack() {
    for (Entry entry : read.values()) {
      if (entry.latest != null) {
        stale.add(entry.latest);
        entry.latest = null;
      }
      if (entry.state == State.OUT) {
        entry.state = isSpent(entry.attempts) ? State.DYING : State.READY;
      }
    }
    dropRemoved();
  }

  private void renewLease() {
    if (lease != null) {
      lease.renew(now);
    }
  }

  SubscriberConfig config() {
    return config;
  }

  /** The lowest place that it has not finished, as soon as housekeeping has had its turn. */
  long floor() {
    return read.isEmpty() ? log.behindPassedOver(position) : read.firstKey();
  }

  /** Places that it has not finished; housekeeping may have finished those to pass over. */
  long lag() {
    long above = finished.stream().filter(place -> place >= position).count();
    return log.end() - position - above + read.size();
  }

  /** The deliveries whose receipts count. */
  List<Delivery<byte[]>> out() {
    return read.values().stream()
        .filter(entry -> entry.latest != null)
        .<Delivery<byte[]>>map(entry -> entry.latest)
        .toList();
  }

  /** Deliveries whose receipts do not count any more. */
  List<Delivery<byte[]>> stale() {
    return stale;
  }

  /** Messages that were given up, one entry a letter. */
  List<Long> dead() {
    return dead;
  }

  /** Messages that may have been given up before it was moved. */
  List<Long> perhapsDead() {
    return perhapsDead;
  }

  /** The letter of a message was published again, and is none any more. */
  void redriven(Long place) {
    assertThat(dead.remove(place) || perhapsDead.remove(place)).as("letter of %s", place).isTrue();
  }

  boolean isPaused() {
    return paused;
  }

  void pause(boolean value) {
    paused = value;
  }

  /** What falls due: ready, or waiting for its backoff first, or given up. */
  void expire(long nowMillis) {
    now = nowMillis;
    read.forEach(
        (place, entry) -> {
          if (entry.state == State.OUT && entry.dueMillis <= now) {
            if (isSpent(entry.attempts)) {
              entry.state = State.DYING;
              entry.latest = null;
              return;
            }
            timedOut = true;
            entry.state = State.DELAYED;
            entry.dueMillis += config.backoff().millis(place, entry.attempts);
          }
          if (entry.state == State.DELAYED && entry.dueMillis <= now) {
            entry.state = State.READY;
          }
        });
    dropRemoved();
  }

  /** What was removed and would come next is finished, if anything can come. */
  private void dropRemoved() {
    if (hasInFlightRoom()
        && read.entrySet()
            .removeIf(at -> at.getValue().state == State.READY && log.isRemoved(at.getKey()))) {
      goOn();
    }
  }

  /** Whether it has not finished this one, which it passes over only if it was removed. */
  boolean isPending(long place) {
    return place < position
        ? read.containsKey(place)
        : !finished.contains(place) && !log.isPassedOver(place);
  }

  /** Whether a consumer has it, and its time is not over. */
  boolean isOut(long place) {
    Entry entry = read.get(place);
    return entry != null && entry.state == State.OUT && entry.dueMillis > now;
  }

  /** Messages were removed just now: what is to come again of them is finished. */
  void removed(LongPredicate isMeant) {
    read.entrySet()
        .removeIf(
            at ->
                isMeant.test(at.getKey())
                    && (at.getValue().state == State.READY
                        || at.getValue().state == State.DELAYED));
    goOn();
  }

  /** What is below this place was discarded. */
  void discarded(long end) {
    Map<Long, Entry> below = read.headMap(end);
    below.forEach(
        (place, entry) -> {
          if (entry.latest != null) {
            stale.add(entry.latest);
          }
          if (entry.state == State.DYING && !entry.hasLetter) {
            perhapsDead.add(place);
          }
        });
    below.clear();
    position = Math.max(position, end);
    finished.removeIf(place -> place < position);
    goOn();
  }

  /** Whether a delivery timed out since this was asked: the real one may not have noticed yet. */
  boolean hasTimedOut() {
    boolean has = timedOut;
    timedOut = false;
    return has;
  }

  /** How many are out. */
  int inFlight() {
    return (int) count(State.OUT);
  }

  private boolean isSpent(int attempts) {
    return config.maxDeliveries() > 0 && attempts >= config.maxDeliveries();
  }

  /** Whether a delivery of this attempt is the last that its message gets. */
  boolean isLast(int attempt) {
    return isSpent(attempt);
  }

  private long count(State state) {
    return read.values().stream().filter(entry -> entry.state == state).count();
  }

  private boolean hasInFlightRoom() {
    return !config.ackRequired() || count(State.OUT) < config.maxInFlight();
  }

  /** Whether its rate lets nothing be delivered now: a second may be in advance. */
  boolean isRateReached() {
    return config.maxRate() > 0 && paidMillis - now > 1_000 - 1_000.0 / config.maxRate();
  }

  /** It is this object from now on: the real one begins with a tenth of a second in advance. */
  void opened(Object real, long atMillis) {
    if (opened != real) {
      opened = real;
      if (lease != null) {
        lease.reset();
      }
      paidMillis = atMillis + 900;
    }
  }

  private boolean hasRoom() {
    return !config.ackRequired()
        || (hasInFlightRoom()
            && position - (read.isEmpty() ? position : read.firstKey()) < config.window());
  }

  private boolean isBusy(@Nullable String key) {
    return config.order() == Order.KEY
        && key != null
        && read.keySet().stream().anyMatch(place -> key.equals(log.key(place)));
  }

  /** A delivery that was handed over: was it one of those that had to come now? */
  void handedOver(Delivery<byte[]> delivery) {
    handedOver(delivery.place(), delivery.attempt());
    Entry entry = read.get(delivery.place());
    if (entry != null) {
      entry.latest = delivery;
    }
  }

  /** The same of one that was shown to a handler, and is no object. */
  void handedOver(long place, int attempt) {
    assertThat(paused).as("paused").isFalse();
    assertThat(place).as("delivered before it was published").isLessThan(log.end());
    assertThat(hasInFlightRoom()).as("room for %s", place).isTrue();
    assertThat(isRateReached()).as("rate at %s", place).isFalse();
    if (config.maxRate() > 0) {
      paidMillis = Math.max(paidMillis, (double) now) + 1_000.0 / config.maxRate();
    }
    if (place >= position) {
      reads(place);
      if (!config.ackRequired()) {
        assertThat(attempt).isEqualTo(1);
        return;
      }
    }
    Entry entry = read.get(place);
    assertThat(entry).as("place %s, finished or out of order", place).isNotNull();
    assertThat(entry.state).as("state of %s", place).isEqualTo(State.READY);
    entry.attempts++;
    assertThat(attempt).as("attempt of %s", place).isEqualTo(entry.attempts);
    entry.state = State.OUT;
    entry.wasHandedOver = true;
    entry.handedOverMillis = now;
    entry.dueMillis = now + config.ackTimeout().toMillis();
    if (entry.latest != null) {
      stale.add(entry.latest);
    }
    entry.latest = null;
  }

  /** It reads up to this one, which is new. */
  private void reads(long place) {
    assertThat(count(State.READY)).as("those that come first").isZero();
    while (position < place) {
      assertThat(hasRoom()).as("room to read %s", position).isTrue();
      assertThat(passes()).as("passed %s", position).isTrue();
    }
    assertThat(position).as("finished, or out of order").isEqualTo(place);
    assertThat(hasRoom()).as("room to read %s", place).isTrue();
    assertThat(passes()).as("handed over %s", place).isFalse();
    if (config.ackRequired()) {
      enter(State.READY);
    } else {
      position++;
    }
    passFinished();
  }

  /** Whether nobody is given what stands at the position, which moves on then. */
  private boolean passes() {
    if (log.isPassedOver(position) || isForAnother(position)) {
      position++;
    } else if (isBusy(log.key(position))) {
      enter(State.WAITING);
    } else if (isSpent(tried.getOrDefault(position, 0))) {
      enter(State.DYING);
    } else if (isDelayed(position)) {
      long due = delayedUntil.get(position);
      enter(State.DELAYED).dueMillis = due;
    } else {
      return false;
    }
    passFinished();
    return true;
  }

  private boolean isForAnother(long place) {
    return log.isForAnother(place, config.name());
  }

  /** Whether one above the position was given back for later by an earlier run. */
  private boolean isDelayed(long place) {
    return delayedUntil.getOrDefault(place, now) > now;
  }

  private Entry enter(State state) {
    Entry entry = new Entry();
    entry.state = state;
    Integer before = tried.remove(position);
    entry.attempts = before == null ? 0 : before;
    entry.wasHandedOver = before != null;
    read.put(position, entry);
    delayedUntil.remove(position);
    position++;
    return entry;
  }

  private void passFinished() {
    while (finished.remove(position)) {
      position++;
    }
  }

  /** A poll that gave less than it was asked for: was there really nothing more to give? */
  void nothing() {
    if (paused || !hasInFlightRoom() || isRateReached()) {
      return;
    }
    assertThat(count(State.READY)).as("waits to be delivered").isZero();
    while (position < log.end() && hasRoom()) {
      if (!passes()) {
        assertThat(mayHoldRemoved()).as("%s is given %s", config.name(), position).isTrue();
        return;
      }
    }
  }

  /** Whether the window may be full of removed messages, which wait until their key's turn. */
  private boolean mayHoldRemoved() {
    return config.order() == Order.KEY
        && LongStream.range(Math.max(0, position - config.window()), position)
            .anyMatch(log::isRemoved);
  }

  /** Which of these are given up, and without a letter as yet. */
  boolean areSomeDying() {
    return count(State.DYING) > 0;
  }

  /** The places of those that are given up. */
  List<Long> dying() {
    return read.keySet().stream().filter(place -> read.get(place).state == State.DYING).toList();
  }

  /** Their letters are safe. */
  void died() {
    for (long place : dying()) {
      if (!read.remove(place).hasLetter) {
        (log.isRemoved(place) ? perhapsDead : dead).add(place);
      }
    }
    goOn();
  }

  /** Something was finished: keys go on, and the position. */
  private void goOn() {
    Set<String> busy = new HashSet<>();
    read.forEach(
        (place, entry) -> {
          String key = log.key(place);
          if (key != null && busy.add(key) && entry.state == State.WAITING) {
            entry.state = isSpent(entry.attempts) ? State.DYING : State.READY;
          }
        });
    passFinished();
    dropRemoved();
  }

  /** What a look must show, be it in the log or in the backup. */
  List<Long> visible() {
    List<Long> visible = new ArrayList<>();
    Set<String> seen = new HashSet<>();
    boolean byKey = config.order() == Order.KEY;
    long end = byKey ? Math.min(log.end(), floor() + config.window()) : log.end();
    for (long place = floor(); place < end; place++) {
      String key = log.key(place);
      if (log.isRemoved(place) || isForAnother(place)) {
        continue;
      }
      if (place < position
          ? read.containsKey(place) && read.get(place).state == State.READY
          : !finished.contains(place) && !log.isPassedOver(place)) {
        boolean isFirst = !byKey || key == null || seen.add(key);
        boolean isFree = isFirst && (place < position || !isBusy(key));
        if (isFree && !isDelayed(place)) {
          visible.add(place);
        }
      }
    }
    return visible;
  }

  void acked(long place) {
    renewLease();
    read.remove(place);
    goOn();
  }

  void ackedUpTo(Delivery<byte[]> delivery) {
    renewLease();
    read.headMap(delivery.place(), true)
        .values()
        .removeIf(entry -> config.order() != Order.KEY || entry.wasHandedOver);
    goOn();
  }

  void rejected(long place) {
    renewLease();
    Entry entry = read.get(place);
    entry.state = State.DYING;
    entry.hasLetter = true;
    entry.latest = null;
    dead.add(place);
  }

  void givenBack(long place, Duration delay) {
    renewLease();
    Entry entry = read.get(place);
    entry.state = delay.isZero() ? State.READY : State.DELAYED;
    entry.dueMillis = now + delay.toMillis();
    entry.latest = null;
    dropRemoved();
  }

  void released(long place) {
    renewLease();
    Entry entry = read.get(place);
    entry.state = State.READY;
    entry.attempts--;
    entry.latest = null;
    dropRemoved();
  }

  void extended(Delivery<byte[]> delivery, Duration by) {
    renewLease();
    Entry entry = read.get(delivery.place());
    entry.state = State.OUT;
    long latest = entry.handedOverMillis + Duration.ofHours(12).toMillis();
    entry.dueMillis = Math.min(now + by.toMillis(), latest);
  }

  /** Was moved: everything from there on is new, everything before it finished. */
  void moved(long to) {
    read.forEach(
        (place, entry) -> {
          if (entry.latest != null) {
            stale.add(entry.latest);
          }
          if (entry.state == State.DYING && !entry.hasLetter) {
            perhapsDead.add(place);
          }
        });
    read.clear();
    tried.clear();
    finished.clear();
    delayedUntil.clear();
    position = to;
  }

  /**
   * Was closed, or killed: all that is out is void and comes again, what was delayed in its time.
   *
   * @param isFinished what the reopened one says of messages that were given up
   */
  void restarted(LongPredicate isFinished) {
    paused = false;
    timedOut = false;
    stale.clear();
    long floor = position;
    NavigableMap<Long, Entry> before = new TreeMap<>(read);
    read.clear();
    for (long place = before.isEmpty() ? position : before.firstKey(); place < position; place++) {
      Entry entry = before.get(place);
      if (entry == null || (entry.state == State.DYING && isFinished.test(place))) {
        if (entry != null && !entry.hasLetter) {
          (log.isRemoved(place) ? perhapsDead : dead).add(place);
        }
        finished.add(place);
      } else {
        assertThat(entry.hasLetter).as("%s has a letter and is not finished", place).isFalse();
        floor = Math.min(floor, place);
        if (entry.wasHandedOver) {
          tried.put(place, entry.attempts);
        }
        if (entry.state == State.DELAYED) {
          delayedUntil.put(place, entry.dueMillis);
        }
      }
    }
    position = floor;
    finished.removeIf(place -> place < position);
    passFinished();
  }
}
