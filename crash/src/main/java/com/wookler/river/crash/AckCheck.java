package com.wookler.river.crash;

import com.wookler.river.crash.Journal.Entry;
import com.wookler.river.crash.Journal.Kind;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Verifies what a subscriber with acknowledgement was given and has completed: everything comes,
 * what is acknowledged does not come again, and what comes again has a higher attempt.
 */
final class AckCheck {
  private final String name;
  private Marks marks = new Marks(1 << 16);
  private long acks;
  private long redelivered;
  private long forgotten;
  private long forgottenNanos;
  private long stale;

  AckCheck(String name) {
    this.name = name;
  }

  /** By sequence, of all rounds before. */
  private static final class Marks {
    private long[] acked; // since when it is finished for good, else 0
    private long[] recently; // acked so late before a power loss that it may come again, when
    private byte[] attempts; // the highest that is known for good
    private long[] delivered; // the id that it had

    Marks(int size) {
      acked = new long[size];
      recently = new long[size];
      attempts = new byte[size];
      delivered = new long[size];
    }

    void ensure(int sequence) {
      if (sequence >= acked.length) {
        int size = Math.max(sequence + 1, acked.length * 2);
        acked = Arrays.copyOf(acked, size);
        recently = Arrays.copyOf(recently, size);
        attempts = Arrays.copyOf(attempts, size);
        delivered = Arrays.copyOf(delivered, size);
      }
    }

    /** What comes at this sequence from now on is another message. */
    void forget(int sequence) {
      acked[sequence] = 0;
      recently[sequence] = 0;
      attempts[sequence] = 0;
      delivered[sequence] = 0;
    }
  }

  void round(List<Entry> entries, Contents contents, End end) {
    for (Entry entry : entries) {
      marks.ensure(Math.toIntExact(entry.a()));
    }
    byte[] ackedAttempt = new byte[marks.acked.length]; // of this round
    byte[] before = marks.attempts.clone();
    Set<Long> seen = new HashSet<>();
    for (Entry entry : entries) {
      int sequence = (int) entry.a();
      if (entry.kind() == Kind.ACKED) {
        acks++;
        ackedAttempt[sequence] = (byte) entry.b();
      } else if (entry.kind() == Kind.STALE) {
        stale++;
      } else if (entry.kind() == Kind.PASSED) {
        PlainCheck.expectDamaged(name, entry, contents);
        // it continues there, and delivers again what was completed beyond
        Arrays.fill(marks.acked, sequence, marks.acked.length, 0);
        Arrays.fill(ackedAttempt, sequence, ackedAttempt.length, (byte) 0);
        Arrays.fill(before, sequence, before.length, (byte) 0);
        seen.removeIf(each -> each / 128 > sequence);
      } else if (entry.kind() == Kind.DELIVERED) {
        PlainCheck.expectContent(name, entry, contents, end);
        expectUnfinished(entry, ackedAttempt[sequence]);
        BrokenPromise.unless(
            seen.add(entry.a() * 128 + entry.b()), "%s: a second time %s", name, entry);
        BrokenPromise.unless(
            entry.b() > before[sequence],
            "%s: %s, but attempt %d was there before",
            name,
            entry,
            before[sequence]);
        redelivered += entry.b() > 1 ? 1 : 0;
      }
    }
    keep(entries, end);
    if (end.power()) {
      forgetLost(contents);
    }
  }

  private void expectUnfinished(Entry entry, byte ackedAttempt) {
    int sequence = (int) entry.a();
    BrokenPromise.unless(
        marks.acked[sequence] == 0,
        "%s: acked in a round before, and comes again: %s",
        name,
        entry);
    BrokenPromise.unless(
        ackedAttempt == 0 || entry.b() <= ackedAttempt,
        "%s: attempt %d was acked, and comes again: %s",
        name,
        ackedAttempt,
        entry);
    if (marks.recently[sequence] != 0) {
      forgotten++;
      forgottenNanos = Math.max(forgottenNanos, marks.recently[sequence]);
      marks.recently[sequence] = 0;
    }
  }

  /** What the round has left for good, and what a power loss may have taken back. */
  private void keep(List<Entry> entries, End end) {
    for (Entry entry : entries) {
      int sequence = (int) entry.a();
      boolean forGood = entry.nanos() <= end.ackedBefore();
      if (entry.kind() == Kind.DELIVERED) {
        marks.delivered[sequence] = entry.c();
        if (forGood) {
          marks.attempts[sequence] = (byte) Math.max(marks.attempts[sequence], entry.b());
        }
      } else if (entry.kind() == Kind.ACKED) {
        if (forGood) {
          marks.acked[sequence] = entry.nanos();
        } else {
          marks.recently[sequence] = end.at() - entry.nanos();
        }
      }
    }
  }

  private void forgetLost(Contents contents) {
    for (int sequence = 0; sequence < marks.delivered.length; sequence++) {
      if (marks.delivered[sequence] != 0 && contents.id(sequence) == 0) {
        marks.forget(sequence);
      }
    }
  }

  /** Every message was delivered; call when all have been taken. */
  void expectAllDelivered(Contents contents) {
    for (long sequence = 0; sequence < contents.end(); sequence++) {
      long id = contents.id(sequence);
      BrokenPromise.unless(
          id == 0 || (sequence < marks.delivered.length && marks.delivered[(int) sequence] == id),
          "%s was never given sequence %d, %s",
          name,
          sequence,
          Content.text(id));
    }
  }

  Summary summary() {
    return new Summary(0, 0, 0, 0, acks, redelivered, forgotten, forgottenNanos, 0, stale);
  }
}
