package com.wookler.river.core.ack.journal;

import com.wookler.river.core.ack.journal.Generations.Numbered;
import com.wookler.river.core.file.Sealed;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * The file {@code ack-<generation>.snap}: the state at the start of the log of the same generation.
 *
 * <pre>
 * offset  size  content (little-endian)
 *      0     8  magic "RIVERSNP"
 *      8     4  version, 1
 *     12     4  number of runs, r
 *     16     8  generation
 *     24     8  low watermark
 *     32     8  mark: the next sequence that was never delivered
 *     40     4  number of attempts, a
 *     44     4  number of delays, d
 *     48  16 r  runs of completed sequences above the low watermark: first (8), count (8)
 *      …  16 a  attempts of unfinished sequences: sequence (8), deliveries that count (8); those without an entry were
 *               delivered once if they are below the mark, else never
 *      …  24 d  unfinished sequences that are delayed: sequence (8), until when, in milliseconds since 1970 (8), for how
 *               many seconds that was to be when it began (8)
 *      …     4  CRC32C of the owner's seed ({@link Owner}) and everything before
 * </pre>
 *
 * <p>Written to a temporary file, forced, renamed, and the directory forced: a file of this name is
 * whole, or damaged.
 */
final class Snapshot {
  static final int VERSION = 1;
  static final int HEADER = 48;

  /** "RIVERSNP" as a little-endian long. */
  static final long MAGIC = 0x504E_5352_4556_4952L;

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
    byte[] bytes = new byte[HEADER + PAIR * (runs + attempts) + DELAY * delays + 4];
    ByteBuffer out = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    out.putLong(MAGIC).putInt(VERSION).putInt(runs).putLong(generation);
    out.putLong(state.lowWatermark()).putLong(state.deliveredEnd()).putInt(attempts);
    out.putInt(delays);
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
    out.putInt(Checks.crc32c(owner, bytes, 0, out.position()));
    return bytes;
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
    int runs = in.getInt(12);
    int attempts = in.getInt(40);
    int delays = in.getInt(44);
    facts.restart(in.getLong(24));
    facts.deliveredEnd(in.getLong(32));
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
    ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    int end = bytes.length - 4;
    if (end < HEADER
        || in.getLong(0) != MAGIC
        || in.getInt(end) != Checks.crc32c(owner, bytes, 0, end)) {
      return null;
    }
    if (in.getInt(8) != VERSION) {
      throw Sealed.otherFormat(file.path(), in.getInt(8), VERSION);
    }
    long pairs = (long) in.getInt(12) + in.getInt(40);
    long size = HEADER + PAIR * pairs + (long) DELAY * in.getInt(44);
    return in.getLong(16) == file.generation() && size == end ? in : null;
  }
}
