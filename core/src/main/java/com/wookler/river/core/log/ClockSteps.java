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
import java.util.UUID;
import java.util.zip.CRC32C;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The times at which the wall clock was found behind what a queue had stored, because it had been
 * ahead before; and with them the meaning of stored times.
 *
 * <p>Stored times never decrease, because they are searched. Where the wall clock is set back, they
 * do not stand still until it has caught up either, because ages are taken from them: from a step
 * on they advance by a microsecond each {@value #SLOWNESS} microseconds of the wall clock, until
 * the two meet. So the wall time of each can be told, to a millisecond: {@link #wallOf}. What was
 * stored before the step, and claims a later time, counts as stored at the step.
 *
 * <p>A step is written to the file {@code clock} beside the blocks before a time is stored that
 * needs it. Numbers are little-endian:
 *
 * <pre>
 *  offset  size  what
 *       0     8  "RIVCLCK1", the last of it the version
 *       8    16  UUID of the queue
 *      24     4  count of steps
 *      28    16  each step, in order: the greatest time that was stored (8), the wall clock (8),
 *                microseconds since 1970
 *       …     4  CRC32C of all before
 * </pre>
 *
 * <p>Immutable.
 */
final class ClockSteps {
  static final String NAME = "clock";
  static final ClockSteps NONE = new ClockSteps(new long[0], new long[0]);

  private static final Logger LOG = LoggerFactory.getLogger(ClockSteps.class);
  private static final byte[] MAGIC = "RIVCLCK1".getBytes(StandardCharsets.US_ASCII);
  private static final int VERSION_AT = 7; // a digit
  private static final int HEADER_BYTES = 28;
  private static final int STEP_BYTES = 16;
  private static final int SLOWNESS = 1 << 10;
  private static final int MAX_STEPS = 256; // the oldest go

  private final long[] stored; // in order
  private final long[] walls;

  private ClockSteps(long[] stored, long[] walls) {
    this.stored = stored;
    this.walls = walls;
  }

  /**
   * With one more: {@code last} is the greatest time that was stored, the wall clock shows this.
   */
  ClockSteps with(long last, long wall) {
    int kept = Math.min(stored.length, MAX_STEPS - 1);
    int from = stored.length - kept;
    long[] newStored = Arrays.copyOfRange(stored, from, from + kept + 1);
    long[] newWalls = Arrays.copyOfRange(walls, from, from + kept + 1);
    newStored[kept] = last;
    newWalls[kept] = wall;
    return new ClockSteps(newStored, newWalls);
  }

  /** The time to be stored when the wall clock shows this. */
  long storedAt(long wall) {
    int last = stored.length - 1;
    return last < 0
        ? wall
        : Math.max(wall, stored[last] + Math.max(0, wall - walls[last]) / SLOWNESS);
  }

  /** What the wall clock showed when this time was stored. */
  long wallOf(long time) {
    long wall = Long.MAX_VALUE;
    for (int i = stored.length - 1; i >= 0; i--) {
      long passed = time - stored[i];
      if (passed >= 0) {
        long slow = passed > Long.MAX_VALUE / SLOWNESS ? time : walls[i] + passed * SLOWNESS;
        return Math.min(wall, Math.min(time, slow));
      }
      wall = Math.min(wall, walls[i]);
    }
    return Math.min(wall, time);
  }

  /**
   * Reads what {@link #write} wrote. A damaged file is quarantined and reported: then stored times
   * count as they are.
   *
   * @throws RiverException a newer River wrote it
   */
  static ClockSteps read(LogSettings settings) throws IOException {
    Path file = settings.directory().resolve(NAME);
    if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
      return NONE;
    }
    try {
      if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
        throw new DamagedMessageException("damaged: it is not a file");
      }
      return decode(ReadFailedException.all(file), settings.identity());
    } catch (DamagedMessageException e) {
      Path aside = DurableFiles.quarantine(file);
      LOG.warn("Queue {}: {}: {}; kept as {}", settings.queue(), file, e.getMessage(), aside);
      return NONE;
    }
  }

  void write(Path log, UUID queue) throws IOException {
    ByteBuffer out =
        ByteBuffer.allocate(HEADER_BYTES + stored.length * STEP_BYTES + 4)
            .order(ByteOrder.LITTLE_ENDIAN);
    out.put(MAGIC).putLong(queue.getMostSignificantBits()).putLong(queue.getLeastSignificantBits());
    out.putInt(stored.length);
    for (int i = 0; i < stored.length; i++) {
      out.putLong(stored[i]).putLong(walls[i]);
    }
    DurableFiles.write(log.resolve(NAME), out.putInt(checksum(out.array())).array());
  }

  static ClockSteps decode(byte[] bytes, UUID queue) {
    ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    if (bytes.length < HEADER_BYTES + 4
        || !Arrays.equals(bytes, 0, VERSION_AT, MAGIC, 0, VERSION_AT)
        || in.getInt(bytes.length - 4) != checksum(bytes)) {
      throw new DamagedMessageException("damaged: its checksum is wrong");
    }
    if (bytes[VERSION_AT] != MAGIC[VERSION_AT]) {
      throw new RiverException(
          "the file " + NAME + " has format " + (char) bytes[VERSION_AT] + "; this River reads 1");
    }
    in.position(MAGIC.length);
    if (!new UUID(in.getLong(), in.getLong()).equals(queue)) {
      throw new DamagedMessageException("damaged: it belongs to another queue");
    }
    List<long[]> steps = new ArrayList<>();
    for (int left = in.getInt(); left > 0; left--) {
      steps.add(new long[] {in.getLong(), in.getLong()});
    }
    return new ClockSteps(
        steps.stream().mapToLong(step -> step[0]).toArray(),
        steps.stream().mapToLong(step -> step[1]).toArray());
  }

  private static int checksum(byte[] bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, bytes.length - 4);
    return (int) crc.getValue();
  }
}
