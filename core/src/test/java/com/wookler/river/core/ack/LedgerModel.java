package com.wookler.river.core.ack;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What a ledger should do, said in the plainest way: maps, lists and loops over all of them. */
final class LedgerModel {
  enum State {
    IN_FLIGHT,
    READY,
    DELAYED,
    FINISHED
  }

  /** All delays are shorter, and told to the journal in seconds. */
  private static final long LONGEST = 1_000;

  static final class Entry {
    State state = State.IN_FLIGHT;
    int attempt;
    long due;
    long location;
    long ticket = -1;
    boolean ticketUsed;
    boolean wasDelayed; // for this delivery
  }

  private final Limits limits;

  /** Handed over or skipped in this run. */
  final TreeMap<Long, Entry> entries = new TreeMap<>();

  /** Finished before this run, above the floor. */
  final List<Long> finishedBefore = new ArrayList<>();

  /** Deliveries that count, of unfinished ones; also from earlier runs. */
  final Map<Long, Integer> attempts = new HashMap<>();

  /** Until when those wait that were delayed in an earlier run and not looked at in this one. */
  private final Map<Long, Long> postponed = new HashMap<>();

  final List<Long> ready = new ArrayList<>();
  long floor;
  long position;

  LedgerModel(Limits limits, long start) {
    this.limits = limits;
    this.floor = start;
    this.position = start;
  }

  boolean hasRoom() {
    return count(State.IN_FLIGHT) < limits.maxInFlight() && position - floor < limits.window();
  }

  int count(State state) {
    return (int) entries.values().stream().filter(e -> e.state == state).count();
  }

  Entry handOver(long location, long now) {
    Entry entry = new Entry();
    entry.attempt = attempts.getOrDefault(position, 0) + 1;
    entry.location = location;
    entry.due = now + limits.ackTimeoutMillis();
    attempts.put(position, entry.attempt);
    entries.put(position, entry);
    postponed.remove(position);
    position++;
    settle();
    return entry;
  }

  /** Whether the position passes over one that is delayed since an earlier run. */
  boolean passPostponed(long now) {
    Long until = postponed.get(position);
    if (until == null || until <= now || position - floor >= limits.window()) {
      return false;
    }
    Entry entry = new Entry();
    entry.state = State.DELAYED;
    entry.attempt = attempts.get(position);
    entry.due = Math.min(until, now + LONGEST);
    entry.ticketUsed = true;
    entry.wasDelayed = true;
    entries.put(position, entry);
    postponed.remove(position);
    position++;
    settle();
    return true;
  }

  /**
   * Whether a delay has ended, and no delivery followed yet: such a message may wait once more if
   * the clock is set back now.
   */
  boolean mayWaitAgain() {
    return entries.values().stream().anyMatch(e -> e.wasDelayed && e.state == State.READY);
  }

  void skip(long end) {
    long target = position > floor ? Math.min(end, floor + limits.window()) : end;
    while (position < target) {
      Entry entry = new Entry();
      entry.state = State.FINISHED;
      entry.ticketUsed = true;
      if (!finishedBefore.contains(position)) {
        entries.put(position, entry);
      }
      postponed.remove(position);
      position++;
    }
    settle();
  }

  Outcome judge(long sequence, long ticket) {
    Entry entry = entries.get(sequence);
    if (sequence < floor || entry == null || entry.ticket != ticket || entry.ticketUsed) {
      return Outcome.STALE;
    }
    return entry.state == State.FINISHED ? Outcome.REPEATED : Outcome.DONE;
  }

  Outcome acknowledge(long sequence, long ticket) {
    Outcome verdict = judge(sequence, ticket);
    if (verdict == Outcome.DONE) {
      finish(sequence);
      settle();
    }
    return verdict;
  }

  Outcome acknowledgeUpTo(long sequence, long ticket) {
    Outcome verdict = judge(sequence, ticket);
    if (verdict == Outcome.STALE) {
      return verdict;
    }
    List.copyOf(entries.headMap(sequence, true).keySet()).forEach(this::finish);
    settle();
    return Outcome.DONE;
  }

  Outcome release(long sequence, long ticket) {
    Outcome verdict = judge(sequence, ticket);
    if (verdict == Outcome.DONE) {
      Entry entry = entries.get(sequence);
      entry.attempt--;
      attempts.put(sequence, entry.attempt);
      makeReady(sequence, entry);
      entry.ticketUsed = true;
    }
    return verdict;
  }

  Outcome retry(long sequence, long ticket, long delay, long now) {
    Outcome verdict = judge(sequence, ticket);
    if (verdict == Outcome.DONE) {
      Entry entry = entries.get(sequence);
      entry.ticketUsed = true;
      if (delay <= 0) {
        makeReady(sequence, entry);
      } else {
        ready.remove(sequence);
        entry.state = State.DELAYED;
        entry.wasDelayed = true;
        entry.due = now + delay;
      }
    }
    return verdict;
  }

  Outcome extend(long sequence, long ticket, long millis, long now) {
    Outcome verdict = judge(sequence, ticket);
    if (verdict == Outcome.DONE) {
      Entry entry = entries.get(sequence);
      ready.remove(sequence);
      entry.state = State.IN_FLIGHT;
      entry.due = now + millis;
    }
    return verdict;
  }

  /** In the order of their sequences. */
  List<Long> overdue(long now) {
    return entries.entrySet().stream()
        .filter(e -> e.getValue().state == State.IN_FLIGHT || e.getValue().state == State.DELAYED)
        .filter(e -> e.getValue().due <= now)
        .map(Map.Entry::getKey)
        .toList();
  }

  void expire(long sequence) {
    makeReady(sequence, entries.get(sequence));
  }

  long nextDue() {
    return entries.values().stream()
        .filter(e -> e.state == State.IN_FLIGHT || e.state == State.DELAYED)
        .mapToLong(e -> e.due)
        .min()
        .orElse(Long.MAX_VALUE);
  }

  Entry redeliver(long sequence, long now) {
    Entry entry = entries.get(sequence);
    ready.remove(sequence);
    entry.state = State.IN_FLIGHT;
    entry.attempt++;
    attempts.put(sequence, entry.attempt);
    entry.due = now + limits.ackTimeoutMillis();
    entry.ticketUsed = false;
    entry.wasDelayed = false;
    return entry;
  }

  void seek(long sequence) {
    entries.clear();
    finishedBefore.clear();
    attempts.clear();
    postponed.clear();
    ready.clear();
    floor = sequence;
    position = sequence;
  }

  /** A kill or a close: what was handed over is void, the facts and the delays stay. */
  void reopen() {
    entries.forEach(
        (sequence, entry) -> {
          if (entry.state == State.FINISHED) {
            finishedBefore.add(sequence);
          } else if (entry.state == State.DELAYED) {
            postponed.put(sequence, entry.due);
          }
        });
    entries.clear();
    ready.clear();
    position = floor;
    settle();
  }

  boolean isFinished(long sequence) {
    Entry entry = entries.get(sequence);
    return sequence < floor
        || finishedBefore.contains(sequence)
        || (entry != null && entry.state == State.FINISHED);
  }

  private void finish(long sequence) {
    ready.remove(sequence);
    attempts.remove(sequence);
    entries.get(sequence).state = State.FINISHED;
  }

  private void makeReady(long sequence, Entry entry) {
    if (entry.state != State.READY) {
      entry.state = State.READY;
      ready.add(sequence);
    }
  }

  private void settle() {
    while (isFinished(floor)) {
      entries.remove(floor);
      finishedBefore.remove(floor);
      floor++;
    }
    position = Math.max(position, floor);
    while (finishedBefore.contains(position)) {
      position++;
    }
  }
}
