package com.wookler.river.crash;

import com.wookler.river.crash.Journal.Entry;
import com.wookler.river.crash.Journal.Kind;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Verifies what publishers were promised: a publish that returned is there, whole, at the sequence
 * that it returned; one that was refused is not; each publisher's messages are in its order, once.
 */
final class PublishCheck {
  private static final long ABSENT = -1;

  private long promised;
  private long lost;
  private long lostNanos;
  private long tornBatches;
  private boolean gaps; // sequences may be missing since a power loss
  private final Set<Long> unanswered = new HashSet<>(); // ids that may still be taken up

  void round(int round, List<List<Entry>> journals, Contents contents, long before, End end) {
    gaps |= end.power();
    long first = before + takenUp(contents, before);
    long[][] sequences = new long[journals.size()][];
    for (int publisher = 0; publisher < sequences.length; publisher++) {
      sequences[publisher] = new long[numbers(journals.get(publisher))];
      Arrays.fill(sequences[publisher], ABSENT);
    }
    for (long sequence = first; sequence < contents.end(); sequence++) {
      long id = contents.id(sequence);
      if (id != 0) {
        place(round, sequence, id, sequences);
      } else {
        BrokenPromise.unless(
            gaps, "sequence %d of %d is neither in log nor backup", sequence, contents.end());
      }
    }
    for (int publisher = 0; publisher < sequences.length; publisher++) {
      compare(publisher, journals.get(publisher), sequences[publisher], end);
    }
    if (contents.end() > before) {
      unanswered.clear();
    }
    noteUnanswered(round, journals, sequences);
  }

  /**
   * Messages that were being published when the round before ended: where all their bytes had been
   * written, but not yet the header that shows them, the opening finishes what was begun.
   */
  private int takenUp(Contents contents, long before) {
    int count = 0;
    while (unanswered.contains(contents.id(before + count))) {
      count++;
    }
    return count;
  }

  private void noteUnanswered(int round, List<List<Entry>> journals, long[][] sequences) {
    for (int publisher = 0; publisher < sequences.length; publisher++) {
      boolean[] answered = new boolean[sequences[publisher].length];
      for (Entry entry : journals.get(publisher)) {
        if (entry.kind() == Kind.PUBLISHED || entry.kind() == Kind.REFUSED) {
          Arrays.fill(answered, (int) entry.a(), (int) (entry.a() + entry.b()), true);
        }
      }
      for (int number = 0; number < answered.length; number++) {
        if (!answered[number] && sequences[publisher][number] == ABSENT) {
          unanswered.add(Content.id(round, publisher, number));
        }
      }
    }
  }

  private static int numbers(List<Entry> journal) {
    long numbers = 0;
    for (Entry entry : journal) {
      if (entry.kind() == Kind.INTENT) {
        numbers = entry.a() + entry.b();
      }
    }
    return Math.toIntExact(numbers);
  }

  private static void place(int round, long sequence, long id, long[][] sequences) {
    String text = Content.text(id);
    int publisher = Content.publisher(id);
    long number = Content.number(id);
    BrokenPromise.unless(
        Content.round(id) == round
            && publisher < sequences.length
            && number < sequences[publisher].length,
        "sequence %d was not published in round %d: %s",
        sequence,
        round,
        text);
    long other = sequences[publisher][(int) number];
    BrokenPromise.unless(other == ABSENT, "sequences %d and %d are both %s", other, sequence, text);
    sequences[publisher][(int) number] = sequence;
  }

  private void compare(int publisher, List<Entry> journal, long[] sequences, End end) {
    long last = ABSENT;
    for (int number = 0; number < sequences.length; number++) {
      long sequence = sequences[number];
      BrokenPromise.unless(
          sequence == ABSENT || sequence > last,
          "publisher %d: number %d has sequence %d, one before it has %d",
          publisher,
          number,
          sequence,
          last);
      last = Math.max(last, sequence);
    }
    boolean[] device = new boolean[sequences.length];
    for (Entry entry : journal) {
      switch (entry.kind()) {
        case INTENT -> {
          expectWhole(publisher, entry, sequences, end);
          Arrays.fill(device, (int) entry.a(), (int) (entry.a() + entry.b()), entry.c() == 1);
        }
        case PUBLISHED -> expectThere(publisher, entry, sequences, device[(int) entry.a()], end);
        case REFUSED ->
            BrokenPromise.unless(
                sequences[(int) entry.a()] == ABSENT,
                "publisher %d: %s, but it is at sequence %d",
                publisher,
                entry,
                sequences[(int) entry.a()]);
        default -> {
          // unknown: it may be there
        }
      }
    }
  }

  private void expectWhole(int publisher, Entry batch, long[] sequences, End end) {
    long first = sequences[(int) batch.a()];
    for (int i = 1; i < batch.b(); i++) {
      long expected = first == ABSENT ? ABSENT : first + i;
      long sequence = sequences[(int) batch.a() + i];
      if (sequence != expected && end.power()) {
        tornBatches++; // what was promised of it is looked at below
        return;
      }
      BrokenPromise.unless(
          sequence == expected,
          "publisher %d: of the batch %s message %d is at %d and not at %d",
          publisher,
          batch,
          i,
          sequence,
          expected);
    }
  }

  private void expectThere(int publisher, Entry batch, long[] sequences, boolean device, End end) {
    if (end.power() && batch.nanos() > end.at()) {
      return; // a machine without power promises nothing: the call came back from the memory of one
    }
    promised += batch.b();
    long sequence = batch.c();
    for (int i = 0; i < batch.b(); i++) {
      long there = sequences[(int) batch.a() + i];
      sequence = there == batch.c() + i ? sequence : there;
    }
    boolean mayBeLost = end.power() && !device && batch.c() + batch.b() > end.forcedEnd();
    if (sequence == ABSENT && mayBeLost) {
      lost += batch.b();
      lostNanos = Math.max(lostNanos, end.at() - batch.nanos());
      return;
    }
    BrokenPromise.unless(
        sequence == batch.c(),
        "publisher %d got sequence %d for its message %d (%d in a batch%s), %d ms before the"
            + " end; it is %s",
        publisher,
        batch.c(),
        batch.a(),
        batch.b(),
        device ? ", on the device" : "",
        (end.at() - batch.nanos()) / 1_000_000,
        sequence == ABSENT ? "lost" : "at sequence " + sequence);
  }

  Summary summary() {
    return new Summary(promised, lost, lostNanos, tornBatches, 0, 0, 0, 0, 0, 0);
  }
}
