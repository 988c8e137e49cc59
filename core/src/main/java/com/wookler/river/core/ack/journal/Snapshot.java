package com.wookler.river.core.ack.journal;

import com.wookler.river.core.ack.journal.Generations.Numbered;
import com.wookler.river.core.file.Sealed;
import com.wookler.river.core.message.DamagedMessageException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The file {@code ack-<generation>.snap}: the state at the start of the log of the same generation.
 *
 * <p>It is {@link Sealed}, and the subscriber is its owner. The payload:
 *
 * <pre>
 * offset  size  content
 *      0     8  generation
 *      8     8  low watermark
 *     16     8  mark: the next sequence that was never delivered
 *     24     4  number of runs, r
 *     28     4  number of attempts, a
 *     32     4  number of delays, d
 *     36  16 r  runs of completed sequences above the low watermark: first (8), count (8)
 *      …  16 a  attempts of unfinished sequences: sequence (8), deliveries that count (8); those without an entry were
 *               delivered once if they are below the mark, else never
 *      …  24 d  unfinished sequences that are delayed: sequence (8), until when, in milliseconds since 1970 (8), for how
 *               many seconds that was to be when it began (8)
 * </pre>
 *
 * <p>Written to a temporary file, forced, renamed, and the directory forced: a file of this name is
 * whole, or damaged.
 */
final class Snapshot {
  private static final Sealed FORM = new Sealed("SNP", 1);
  private static final int HEADER = 36;
  private static final int PAIR = 16;
  private static final int DELAY = 24;

  private Snapshot() {}

  static byte[] encode(AckState state, long generation, Owner owner) {
    int runs = 0;
    int attempts = 0;
    int delays = 0;
    for (int i = 0; i < state.size(); i++) {
      if (state.isCompleted(i) && (i == 0 || !state.isCompleted(i - 1))) {
        runs++;
      } else if (state.hasOwnAttempts(i)) {
        attempts++;
      }
      delays += state.delaySeconds(i) > 0 ? 1 : 0;
    }
    ByteBuffer out = Sealed.payload(HEADER + PAIR * (runs + attempts) + DELAY * delays);
    out.putLong(generation).putLong(state.lowWatermark()).putLong(state.deliveredEnd());
    out.putInt(runs).putInt(attempts).putInt(delays);
    putRuns(state, out);
    for (int i = 0; i < state.size(); i++) {
      if (state.hasOwnAttempts(i)) {
        out.putLong(state.lowWatermark() + i).putLong(state.attempts(i));
      }
    }
    for (int i = 0; i < state.size(); i++) {
      if (state.delaySeconds(i) > 0) {
        out.putLong(state.lowWatermark() + i)
            .putLong(state.until(i))
            .putLong(state.delaySeconds(i));
      }
    }
    return FORM.encode(owner.id(), out);
  }

  /**
   * Tells what a file says. Returns false, and tells nothing, if the file is damaged.
   *
   * @param bytes the file's content
   */
  static boolean read(Numbered file, byte[] bytes, Owner owner, JournalVisitor facts) {
    ByteBuffer in = checked(file, bytes, owner);
    if (in == null) {
      return false;
    }
    int runs = in.getInt(24);
    int attempts = in.getInt(28);
    int delays = in.getInt(32);
    facts.restart(in.getLong(8));
    facts.deliveredEnd(in.getLong(16));
    in.position(HEADER);
    for (int i = 0; i < runs; i++) {
      facts.completed(in.getLong(), in.getLong());
    }
    for (int i = 0; i < attempts; i++) {
      facts.attempts(in.getLong(), (int) in.getLong());
    }
    for (int i = 0; i < delays; i++) {
      facts.notBefore(in.getLong(), in.getLong(), (int) in.getLong());
    }
    return true;
  }

  private static void putRuns(AckState state, ByteBuffer out) {
    int i = 0;
    while (i < state.size()) {
      int from = i;
      while (i < state.size() && state.isCompleted(i)) {
        i++;
      }
      if (i > from) {
        out.putLong(state.lowWatermark() + from).putLong(i - from);
      }
      i++;
    }
  }

  private static @Nullable ByteBuffer checked(Numbered file, byte[] bytes, Owner owner) {
    ByteBuffer in;
    try {
      in = FORM.read(file.path(), bytes, owner.id());
    } catch (DamagedMessageException e) {
      return null;
    }
    if (in.limit() < HEADER) {
      return null;
    }
    long pairs = (long) in.getInt(24) + in.getInt(28);
    long size = HEADER + PAIR * pairs + (long) DELAY * in.getInt(32);
    return in.getLong(0) == file.generation() && size == in.limit() ? in : null;
  }
}
