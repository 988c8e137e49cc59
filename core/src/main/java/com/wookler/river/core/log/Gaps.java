package com.wookler.river.core.log;

import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.file.DurableFiles;
import com.wookler.river.core.file.ReadFailedException;
import com.wookler.river.core.message.DamagedMessageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import java.util.UUID;
import java.util.zip.CRC32C;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sequences that the log has lost: no block holds them, and none ever will. They count as
 * finished for every subscriber.
 *
 * <p>Found at an opening, and kept in the file {@code gaps} until the blocks behind them are gone.
 * Numbers are little-endian:
 *
 * <pre>
 *  offset  size  what
 *       0     8  "RIVGAPS1", the last of it the version
 *       8    16  UUID of the queue
 *      24     4  count of gaps
 *      28    32  each gap, in order: first sequence (8), the sequence after its last (8), time at
 *                which it was found, microseconds since 1970 (8), block that held it (4),
 *                1 if it is damage (4)
 *       …     4  CRC32C of all before
 * </pre>
 *
 * <p>Immutable.
 */
public final class Gaps {
  static final String NAME = "gaps";

  private static final Logger LOG = LoggerFactory.getLogger(Gaps.class);
  private static final byte[] MAGIC = "RIVGAPS1".getBytes(StandardCharsets.US_ASCII);
  private static final int VERSION_AT = 7; // a digit
  private static final int HEADER_BYTES = 28;
  private static final int GAP_BYTES = 32;

  private final TreeMap<Long, Gap> byFirst = new TreeMap<>();

  /**
   * Sequences in a row that are lost.
   *
   * @param first the first of them
   * @param end the sequence after the last
   * @param micros when it was found, microseconds since 1970
   * @param block that held the first of them
   * @param damaged whether they had been forced to the device: somebody or something has taken them
   *     away; else a power loss came before the force
   */
  public record Gap(long first, long end, long micros, int block, boolean damaged) {
    /** How many messages are lost in it. */
    public long messages() {
      return end - first;
    }

    Gap within(long from, long to) {
      return new Gap(Math.max(first, from), Math.min(end, to), micros, block, damaged);
    }
  }

  Gaps(List<Gap> gaps) {
    gaps.forEach(gap -> byFirst.put(gap.first(), gap));
  }

  /** The next sequence that is not lost: this one, unless it is in a gap. */
  public long endOf(long sequence) {
    long end = sequence;
    var entry = byFirst.floorEntry(end);
    while (entry != null && entry.getValue().end() > end) {
      end = entry.getValue().end();
      entry = byFirst.floorEntry(end);
    }
    return end;
  }

  /** How many sequences from this one on are lost. */
  public long messagesFrom(long sequence) {
    long sum = 0;
    for (Gap gap : byFirst.values()) {
      sum += Math.max(0, gap.end() - Math.max(gap.first(), sequence));
    }
    return sum;
  }

  /** All of them, in order. */
  public List<Gap> all() {
    return List.copyOf(byFirst.values());
  }

  /**
   * Reads what {@link #write} wrote. A damaged file is quarantined, reported, and counts as empty:
   * a recovery finds the gaps again by what is missing between the blocks.
   *
   * @throws RiverException a newer River wrote it
   */
  static Gaps read(LogSettings settings) throws IOException {
    Path file = settings.directory().resolve(NAME);
    if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
      return new Gaps(List.of());
    }
    try {
      if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
        throw new DamagedMessageException("damaged: it is not a file");
      }
      return decode(ReadFailedException.all(file), settings.identity());
    } catch (DamagedMessageException e) {
      Path aside = DurableFiles.quarantine(file);
      LOG.warn("Queue {}: {}: {}; kept as {}", settings.queue(), file, e.getMessage(), aside);
      return new Gaps(List.of());
    }
  }

  void write(LogSettings settings) throws IOException {
    write(settings.directory(), settings.identity());
  }

  void write(Path log, UUID queue) throws IOException {
    DurableFiles.write(log.resolve(NAME), encode(queue));
  }

  private byte[] encode(UUID queue) {
    ByteBuffer out =
        ByteBuffer.allocate(HEADER_BYTES + byFirst.size() * GAP_BYTES + 4)
            .order(ByteOrder.LITTLE_ENDIAN);
    out.put(MAGIC).putLong(queue.getMostSignificantBits()).putLong(queue.getLeastSignificantBits());
    out.putInt(byFirst.size());
    for (Gap gap : byFirst.values()) {
      out.putLong(gap.first()).putLong(gap.end()).putLong(gap.micros());
      out.putInt(gap.block()).putInt(gap.damaged() ? 1 : 0);
    }
    return out.putInt(checksum(out.array())).array();
  }

  static Gaps decode(byte[] bytes, UUID queue) {
    ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    if (bytes.length < HEADER_BYTES + 4
        || !Arrays.equals(bytes, 0, VERSION_AT, MAGIC, 0, VERSION_AT)
        || in.getInt(bytes.length - 4) != checksum(bytes)) {
      throw new DamagedMessageException("damaged: its checksum is wrong");
    }
    if (bytes[VERSION_AT] != MAGIC[VERSION_AT]) {
      throw new RiverException(
          "the file gaps has format " + (char) bytes[VERSION_AT] + "; this River reads 1");
    }
    in.position(MAGIC.length);
    if (!new UUID(in.getLong(), in.getLong()).equals(queue)) {
      throw new DamagedMessageException("damaged: it belongs to another queue");
    }
    List<Gap> gaps = new ArrayList<>();
    for (int left = in.getInt(); left > 0; left--) {
      gaps.add(new Gap(in.getLong(), in.getLong(), in.getLong(), in.getInt(), in.getInt() != 0));
    }
    return new Gaps(gaps);
  }

  private static int checksum(byte[] bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, bytes.length - 4);
    return (int) crc.getValue();
  }
}
