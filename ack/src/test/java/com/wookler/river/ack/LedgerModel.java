package com.wookler.river.ack;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** What a ledger should do, said in the plainest way: maps, lists and loops over all of them. */
final class LedgerModel {
  enum State {
    IN_FLIGHT,
    READY,
    DELAYED,
    COMPLETED
  }

  /** All delays are shorter, and told to the journal in seconds. */
  private static final long LONGEST = 1_000;

  static final class Entry {
    State state = State.IN_FLIGHT;
    int attempt;
    long due;
    long address;
    long tag = -1;
    boolean ticketUsed;
    boolean wasDelayed; // for this delivery
  }

  private final Limits limits;

  /** Delivered or skipped in this run. */
  final TreeMap<Long, Entry> entries = new TreeMap<>();

  /** Completed before this run, above the low watermark. */
  final List<Long> finishedBefore = new ArrayList<>();

  /** Deliveries that count, of unfinished ones; also from earlier runs. */
  final Map<Long, Integer> attempts = new HashMap<>();

  /** Until when those wait that were delayed in an earlier run and not looked at in this one. */
  private final Map<Long, Long> postponed = new HashMap<>();

  /**
   * Those of them whose delay had ended in its run, with no delivery since. Nothing is written at
   * that end, so the log has the delay still, but a snapshot that was taken then has not: if the
   * clock is set back before its time, such a message waits once more, or not at all.
   */
  private final Set<Long> ended = new HashSet<>();

  final List<Long> ready = new ArrayList<>();
  long lowWatermark;
  long position;

  LedgerModel(Limits limits, long start) {
    this.limits = limits;
    this.lowWatermark = start;
    this.position = start;
  }

  boolean canDeliver() {
    return count(State.IN_FLIGHT) < limits.maxInFlight()
        && position - lowWatermark < limits.window();
  }

  int count(State state) {
    return (int) entries.values().stream().filter(e -> e.state == state).count();
  }

  Entry deliver(long address, long now) {
    Entry entry = new Entry();
    entry.attempt = attempts.getOrDefault(position, 0) + 1;
    entry.address = address;
    entry.due = now + limits.ackTimeoutMillis();
    attempts.put(position, entry.attempt);
    entries.put(position, entry);
    lookedAt(position);
    position++;
    settle();
    return entry;
  }

  /**
   * Whether the position passes over one that is delayed since an earlier run. Where it may or may
   * not, it does as the ledger did.
   */
  boolean skipPostponed(long now, boolean passed) {
    Long until = postponed.get(position);
    if (until == null || until <= now || position - lowWatermark >= limits.window()) {
      return false;
    }
    if (ended.contains(position) && !passed) {
      return false;
    }
    Entry entry = new Entry();
    entry.state = State.DELAYED;
    entry.attempt = attempts.get(position);
    entry.due = Math.min(until, now + LONGEST);
    entry.ticketUsed = true;
    entry.wasDelayed = true;
    entries.put(position, entry);
    lookedAt(position);
    position++;
    settle();
    return true;
  }

  void skip(long end) {
    long target = position > lowWatermark ? Math.min(end, lowWatermark + limits.window()) : end;
    while (position < target) {
      Entry entry = new Entry();
      entry.state = State.COMPLETED;
      entry.ticketUsed = true;
      if (!finishedBefore.contains(position)) {
        entries.put(position, entry);
      }
      lookedAt(position);
      position++;
    }
    settle();
  }

  AckResult check(long sequence, long tag) {
    Entry entry = entries.get(sequence);
    if (sequence < lowWatermark || entry == null || entry.tag != tag || entry.ticketUsed) {
      return AckResult.STALE;
    }
    return entry.state == State.COMPLETED ? AckResult.REPEATED : AckResult.DONE;
  }

  AckResult acknowledge(long sequence, long tag) {
    AckResult result = check(sequence, tag);
    if (result == AckResult.DONE) {
      complete(sequence);
      settle();
    }
    return result;
  }

  AckResult acknowledgeUpTo(long sequence, long tag) {
    AckResult result = check(sequence, tag);
    if (result == AckResult.STALE) {
      return result;
    }
    List.copyOf(entries.headMap(sequence, true).keySet()).forEach(this::complete);
    settle();
    return AckResult.DONE;
  }

  AckResult release(long sequence, long tag) {
    AckResult result = check(sequence, tag);
    if (result == AckResult.DONE) {
      Entry entry = entries.get(sequence);
      entry.attempt--;
      attempts.put(sequence, entry.attempt);
      makeReady(sequence, entry);
      entry.ticketUsed = true;
    }
    return result;
  }

  AckResult retry(long sequence, long tag, long delay, long now) {
    AckResult result = check(sequence, tag);
    if (result == AckResult.DONE) {
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
    return result;
  }

  AckResult extend(long sequence, long tag, long millis, long now) {
    AckResult result = check(sequence, tag);
    if (result == AckResult.DONE) {
      Entry entry = entries.get(sequence);
      ready.remove(sequence);
      entry.state = State.IN_FLIGHT;
      entry.due = now + millis;
    }
    return result;
  }

  /** In the order of their sequences. */
  List<Long> overdue(long now) {
    return entries.entrySet().stream()
        .filter(e -> e.getValue().state == State.IN_FLIGHT || e.getValue().state == State.DELAYED)
        .filter(e -> e.getValue().due <= now)
        .map(Map.Entry::getKey)
        .toList();
  }

  void collectTimedOut(long sequence) {
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
    ended.clear();
    ready.clear();
    lowWatermark = sequence;
    position = sequence;
  }

  /** A kill or a close: what was delivered is void, the facts and the delays stay. */
  void reopen() {
    entries.forEach(
        (sequence, entry) -> {
          if (entry.state == State.COMPLETED) {
            finishedBefore.add(sequence);
          } else if (entry.wasDelayed) {
            postponed.put(sequence, entry.due);
            if (entry.state == State.READY) {
              ended.add(sequence);
            }
          }
        });
    entries.clear();
    ready.clear();
    position = lowWatermark;
    settle();
  }

  boolean isCompleted(long sequence) {
    Entry entry = entries.get(sequence);
    return sequence < lowWatermark
        || finishedBefore.contains(sequence)
        || (entry != null && entry.state == State.COMPLETED);
  }

  private void lookedAt(long sequence) {
    postponed.remove(sequence);
    ended.remove(sequence);
  }

  private void complete(long sequence) {
    ready.remove(sequence);
    attempts.remove(sequence);
    entries.get(sequence).state = State.COMPLETED;
  }

  private void makeReady(long sequence, Entry entry) {
    if (entry.state != State.READY) {
      entry.state = State.READY;
      ready.add(sequence);
    }
  }

  private void settle() {
    while (isCompleted(lowWatermark)) {
      entries.remove(lowWatermark);
      finishedBefore.remove(lowWatermark);
      lowWatermark++;
    }
    position = Math.max(position, lowWatermark);
    while (finishedBefore.contains(position)) {
      position++;
    }
  }
}
