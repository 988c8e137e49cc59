package com.wookler.river.ack.journal;

import com.wookler.river.ack.EntryState;
import com.wookler.river.ack.Ring;
import com.wookler.river.common.errors.DamagedException;
import com.wookler.river.common.file.Sealed;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The file {@code ack-<generation>.snap}: the state at the start of the log of the same generation.
 *
 * <p>It is {@link Sealed}, and the subscriber is its owner. The payload, where a group is 64
 * entries from the low watermark on:
 *
 * <pre>
 * offset  size  content
 *      0     8  generation
 *      8     8  low watermark
 *     16     8  position: the next sequence that was never delivered
 *     24     4  number of groups, g
 *     28  16 g  for each group: a bit for each entry that is completed (8), and for each unfinished
 *               entry that is described below (8)
 *      …     …  for each of the latter: deliveries that count (4), for how many seconds it was to be
 *               delayed (4), and if that is not 0, until when, in milliseconds since 1970 (8)
 * </pre>
 *
 * <p>An unfinished entry that is not described is not delayed. It was delivered once if it is below
 * the position, else never. The file is written to a temporary file, forced, renamed, and the
 * directory forced: a file of this name is whole, or damaged.
 *
 * <p>The state is copied in steps of one group, so that no acknowledgement waits for all of it.
 * Between two steps the ledger may change, with entries in the logs of this generation on: an entry
 * may be copied as it is later. The replay of those logs leads to the same state, because a journal
 * entry contains what is, and not what has changed. Only a seek must end the copying. Guarded by
 * the subscriber's lock until it is complete; immutable from then on.
 */
final class Snapshot {
  private static final Sealed FORM = new Sealed("SNP", 1);
  private static final int HEADER = 28;
  private static final int GROUP = Long.SIZE; // entries in a group: some 100 nanoseconds of work

  private final Ring ring;
  private final long lowWatermark;
  private final long deliveredEnd;
  private final long end;
  private final ByteBuffer groups;
  // the descriptions of each group that has any
  private final List<ByteBuffer> described = new ArrayList<>();
  private int size = HEADER;

  /** Begins; each {@link #step} copies. */
  Snapshot(Ring ring, long deliveredEnd) {
    this.ring = ring;
    this.lowWatermark = ring.lowWatermark();
    this.deliveredEnd = deliveredEnd;
    this.end = ring.end();
    this.groups = Sealed.payload((int) ((end - lowWatermark + GROUP - 1) / GROUP) * 16);
  }

  static Snapshot of(Ring ring, long deliveredEnd) {
    Snapshot state = new Snapshot(ring, deliveredEnd);
    while (!state.isComplete()) {
      state.step();
    }
    return state;
  }

  boolean isComplete() {
    return !groups.hasRemaining();
  }

  /** Copies the next group of a snapshot that is not complete. */
  void step() {
    long first = lowWatermark + groups.position() / 16L * GROUP;
    long completed = 0;
    long own = 0;
    for (long s = first; s < Math.min(end, first + GROUP); s++) {
      if (s < ring.lowWatermark() || ring.is(s, EntryState.COMPLETED)) {
        completed |= 1L << (s - first);
      } else if (ring.attempt(s) != (s < deliveredEnd ? 1 : 0) || isDelayed(s)) {
        own |= 1L << (s - first);
      }
    }
    if (own != 0) {
      describe(first, own);
    }
    groups.putLong(completed).putLong(own);
  }

  private boolean isDelayed(long sequence) {
    return ring.hasDelays() && ring.isDelayed(sequence);
  }

  private void describe(long first, long own) {
    ByteBuffer out = Sealed.payload(Long.bitCount(own) * (ring.hasDelays() ? 16 : 8));
    for (long rest = own; rest != 0; rest &= rest - 1) {
      long sequence = first + Long.numberOfTrailingZeros(rest);
      boolean delayed = isDelayed(sequence);
      long seconds = delayed ? ring.delaySeconds(sequence) : 0;
      out.putLong((seconds << 32) | ring.attempt(sequence));
      if (delayed) {
        out.putLong(ring.until(sequence));
      }
    }
    described.add(out.flip());
    size += out.limit();
  }

  byte[] encode(long generation, Owner owner) {
    ByteBuffer out = Sealed.payload(size + groups.capacity());
    out.putLong(generation).putLong(lowWatermark).putLong(deliveredEnd);
    out.putInt(groups.capacity() / 16).put(groups.duplicate().flip());
    described.forEach(entries -> out.put(entries.duplicate()));
    return FORM.encode(owner.id(), out);
  }

  /** Passes the content of a file on; returns false, and passes nothing on, if it is damaged. */
  static boolean read(
      Generations.Numbered file, byte[] bytes, Owner owner, JournalVisitor visitor) {
    ByteBuffer in;
    try {
      in = FORM.read(file.path(), bytes, owner.id());
    } catch (DamagedException e) {
      return false;
    }
    if (in.limit() < HEADER || in.getLong() != file.generation()) {
      return false;
    }
    long first = in.getLong();
    visitor.restart(first);
    visitor.deliveredEnd(in.getLong());
    ByteBuffer groups = in.slice(HEADER, in.getInt() * 16).order(in.order());
    in.position(HEADER + groups.limit());
    for (; groups.hasRemaining(); first += GROUP) {
      readCompleted(first, groups.getLong(), visitor);
      for (long rest = groups.getLong(); rest != 0; rest &= rest - 1) {
        readEntry(first + Long.numberOfTrailingZeros(rest), in, visitor);
      }
    }
    return true;
  }

  private static void readCompleted(long first, long bits, JournalVisitor visitor) {
    int at = Long.numberOfTrailingZeros(bits);
    while (at < GROUP) {
      int count = Long.numberOfTrailingZeros(~(bits >>> at));
      count = Math.min(count, GROUP - at);
      visitor.completed(first + at, count);
      at += count;
      at += at < GROUP ? Long.numberOfTrailingZeros(bits >>> at) : 0;
    }
  }

  private static void readEntry(long sequence, ByteBuffer in, JournalVisitor visitor) {
    visitor.attempts(sequence, in.getInt());
    int seconds = in.getInt();
    if (seconds > 0) {
      visitor.notBefore(sequence, in.getLong(), seconds);
    }
  }
}
