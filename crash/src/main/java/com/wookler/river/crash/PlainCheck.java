package com.wookler.river.crash;

import com.wookler.river.crash.Journal.Entry;
import com.wookler.river.crash.Journal.Kind;
import java.util.List;

/**
 * What a subscriber without acknowledgement was given: in order, nothing twice, and what it missed
 * is at most what was in hand at an end.
 */
final class PlainCheck {
  private final String name;
  private long next; // what comes next
  private long earliest; // what may come next after a power loss, at the least
  private long mayBeInHand; // at the ends since the last delivery was noted
  private long inHand;

  PlainCheck(String name) {
    this.name = name;
  }

  void round(List<Entry> entries, Contents contents, End end) {
    boolean first = true;
    for (Entry entry : entries) {
      if (entry.kind() == Kind.PASSED) {
        expectDamaged(name, entry, contents);
        continue;
      }
      expectContent(name, entry, contents, end);
      BrokenPromise.unless(entry.b() == 1, "%s: another attempt %s", name, entry);
      BrokenPromise.unless(
          entry.a() >= (first ? earliest : next),
          "%s: %s comes again, or out of order: %d is next",
          name,
          entry,
          next);
      long skipped = messages(contents, next, entry.a());
      BrokenPromise.unless(
          skipped <= (first ? mayBeInHand : 0),
          "%s: %d messages were skipped before %s, from %d on",
          name,
          skipped,
          entry,
          next);
      inHand += skipped;
      next = entry.a() + 1;
      earliest = next;
      first = false;
      mayBeInHand = 0;
    }
    mayBeInHand += Scenario.PLAIN_BATCH;
    if (end.power()) {
      afterPowerLoss(entries, contents, end);
    }
  }

  /** The last deliveries may come again, and what comes may be another message. */
  private void afterPowerLoss(List<Entry> entries, Contents contents, End end) {
    for (Entry entry : entries) {
      if (entry.kind() == Kind.DELIVERED && entry.nanos() > end.ackedBefore()) {
        earliest = Math.min(earliest, entry.a());
      }
    }
    next = Math.min(next, contents.end());
    earliest = Math.min(earliest, next);
  }

  private static long messages(Contents contents, long from, long to) {
    long messages = 0;
    for (long sequence = from; sequence < to; sequence++) {
      messages += contents.id(sequence) == 0 ? 0 : 1;
    }
    return messages;
  }

  /** It is what was published; after a power loss it may be lost since. */
  static void expectContent(String name, Entry delivered, Contents contents, End end) {
    long there = contents.id(delivered.a());
    BrokenPromise.unless(
        there == delivered.c() || (end.power() && there == 0),
        "%s was given sequence %d as %s, but there is %s",
        name,
        delivered.a(),
        Content.text(delivered.c()),
        Content.text(there));
  }

  /** Verifies that what was reported as damaged is not there whole. */
  static void expectDamaged(String name, Entry passed, Contents contents) {
    long there = contents.id(passed.a());
    BrokenPromise.unless(
        there == 0,
        "%s got the report that sequence %d is damaged: %s",
        name,
        passed.a(),
        Content.text(there));
  }

  void expectAllDelivered(Contents contents) {
    BrokenPromise.unless(
        messages(contents, next, contents.end()) <= mayBeInHand,
        "%s got no further than %d of %d",
        name,
        next,
        contents.end());
  }

  Summary summary() {
    return new Summary(0, 0, 0, 0, 0, 0, 0, 0, inHand, 0);
  }
}
