package com.wookler.river.core.log.files;

import com.wookler.river.common.file.Sealed;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sequences that the log has lost: no block holds them, and none ever will. They count as
 * completed for every subscriber.
 *
 * <p>Found at an opening, and kept in the file {@code gaps} until the blocks after them are
 * deleted: a {@link Sealed} file of kind {@code GAP}, version 1, whose payload has 32 bytes for
 * each gap, in order:
 *
 * <pre>
 *  offset  size  what
 *       0     8  first sequence
 *       8     8  the sequence after its last
 *      16     8  time at which it was found, microseconds since 1970
 *      24     4  block that held it
 *      28     4  1 if it is damage
 * </pre>
 *
 * <p>Immutable.
 */
public final class Gaps {
  public static final String NAME = "gaps";

  private static final Logger LOG = LoggerFactory.getLogger(Gaps.class);
  private static final Sealed FORM = new Sealed("GAP", 1);
  private static final int GAP_BYTES = 32;

  private final TreeMap<Long, Gap> byFirst = new TreeMap<>();

  /**
   * Lost sequences in a row.
   *
   * @param end the sequence after the last
   * @param micros when it was found, microseconds since 1970
   * @param block that held the first of them
   * @param damaged whether they had been forced to the device; else a power loss came before that
   */
  public record Gap(long first, long end, long micros, int block, boolean damaged) {
    public long messages() {
      return end - first;
    }

    public Gap within(long from, long to) {
      return new Gap(Math.max(first, from), Math.min(end, to), micros, block, damaged);
    }
  }

  public Gaps(List<Gap> gaps) {
    gaps.forEach(gap -> byFirst.put(gap.first(), gap));
  }

  /** Returns the next sequence that is not lost: this one, unless it is in a gap. */
  public long endOf(long sequence) {
    long end = sequence;
    var entry = byFirst.floorEntry(end);
    while (entry != null && entry.getValue().end() > end) {
      end = entry.getValue().end();
      entry = byFirst.floorEntry(end);
    }
    return end;
  }

  /** Returns how many sequences from this one on are lost. */
  public long messagesFrom(long sequence) {
    long sum = 0;
    for (Gap gap : byFirst.values()) {
      sum += Math.max(0, gap.end() - Math.max(gap.first(), sequence));
    }
    return sum;
  }

  public List<Gap> all() {
    return List.copyOf(byFirst.values());
  }

  /**
   * Reads the file. A damaged one is quarantined, reported, and counts as empty: a recovery finds
   * the gaps again by what is missing between the blocks.
   */
  public static Gaps read(LogDirectory log) throws IOException {
    Path file = log.path().resolve(NAME);
    return FORM.readOrQuarantine(
            file, log.identity(), fault -> LOG.warn("Queue {}: {}: {}", log.queue(), file, fault))
        .map(Gaps::decode)
        .orElseGet(() -> new Gaps(List.of()));
  }

  public void write(Path log, UUID queue) throws IOException {
    ByteBuffer out = Sealed.payload(byFirst.size() * GAP_BYTES);
    for (Gap gap : byFirst.values()) {
      out.putLong(gap.first()).putLong(gap.end()).putLong(gap.micros());
      out.putInt(gap.block()).putInt(gap.damaged() ? 1 : 0);
    }
    FORM.write(log.resolve(NAME), queue, out);
  }

  /** Reads a file and changes nothing; throws a DamagedMessageException if it is damaged. */
  public static Gaps look(Path file, UUID queue) throws IOException {
    return decode(FORM.read(file, queue));
  }

  private static Gaps decode(ByteBuffer in) {
    List<Gap> gaps = new ArrayList<>();
    while (in.hasRemaining()) {
      gaps.add(new Gap(in.getLong(), in.getLong(), in.getLong(), in.getInt(), in.getInt() != 0));
    }
    return new Gaps(gaps);
  }
}
