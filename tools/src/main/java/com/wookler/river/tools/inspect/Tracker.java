package com.wookler.river.tools.inspect;

import com.wookler.river.core.message.StoredMessage;
import com.wookler.river.tools.inspect.Finding.Severity;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;

/**
 * Selects the messages of a range of sequences: leaves out those that were given before, and
 * reports the missing ones. Used once, by one thread.
 */
final class Tracker implements MessageWalk.Sink {
  private final long to;
  private final MessageSource.Sink sink;
  private Path file;
  private int block = Finding.UNKNOWN;
  private long expected;
  private Finding reason;
  private boolean done;

  Tracker(Path source, long from, long to, MessageSource.Sink sink) {
    this.file = source;
    this.expected = from;
    this.to = to;
    this.sink = sink;
    this.reason = Finding.note(source, "no file holds them");
  }

  /** Notes that the next messages are from this file. */
  void enter(Path from, int number) {
    file = from;
    block = number;
  }

  /** Returns whether all of the range was given, or the sink has ended it. */
  boolean done() {
    return done;
  }

  long expected() {
    return expected;
  }

  @Override
  public boolean messages(List<StoredMessage> run) {
    long first = run.get(0).sequence();
    long end = first + run.size();
    if (done || end <= expected) {
      return !done;
    }
    reaches(Math.min(first, to + 1));
    int skipped = (int) Math.max(0, expected - first);
    int kept = (int) Math.min(run.size(), to + 1 - first);
    if (skipped < kept) {
      expected = first + kept;
      try {
        done = !sink.messages(run.subList(skipped, kept));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    done |= expected > to;
    return !done;
  }

  @Override
  public void damaged(long offset, String what) {
    reason = new Finding(Severity.DAMAGE, file, block, expected, offset, what);
  }

  /** Reports the sequences before this one that were not given as lost. */
  void reaches(long sequence) {
    if (!done && sequence > expected) {
      sink.lost(new MessageSource.Lost(expected, sequence - 1, reason));
      expected = sequence;
    }
    done |= expected > to;
  }

  /** Begins at the first sequence of the source: those before it are not lost. */
  void begins(long sequence) {
    expected = Math.max(expected, sequence);
    done |= expected > to;
  }
}
