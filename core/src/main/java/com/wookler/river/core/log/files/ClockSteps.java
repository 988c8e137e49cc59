package com.wookler.river.core.log.files;

import com.wookler.river.common.file.Sealed;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The times at which the wall clock was found to be earlier than what a queue had stored, because
 * it had been ahead before; and with them the meaning of stored times.
 *
 * <p>Stored times never decrease, because they are searched. Where the wall clock is set back, they
 * do not stand still until it has caught up either, because ages are taken from them: from a step
 * on they advance by a microsecond each {@value #SLOWNESS} microseconds of the wall clock, until
 * the two meet. So the wall time of each is known, to a millisecond: {@link #wallOf}. What was
 * stored before the step, and claims a later time, counts as stored at the step.
 *
 * <p>A step is written to the file {@code clock} beside the blocks before a time is stored that
 * needs it: a {@link Sealed} file of kind {@code CLK}, version 1, whose payload has 16 bytes for
 * each step, in order:
 *
 * <pre>
 *  offset  size  what
 *       0     8  the greatest time that was stored, microseconds since 1970
 *       8     8  the wall clock, microseconds since 1970
 * </pre>
 *
 * <p>Immutable.
 */
public final class ClockSteps {
  public static final String NAME = "clock";
  public static final ClockSteps NONE = new ClockSteps(new long[0], new long[0]);

  private static final Logger LOG = LoggerFactory.getLogger(ClockSteps.class);
  private static final Sealed FORM = new Sealed("CLK", 1);
  private static final int STEP_BYTES = 16;
  private static final int SLOWNESS = 1 << 10;
  private static final int MAX_STEPS = 256; // the oldest are dropped

  private final long[] stored; // in order
  private final long[] walls;

  private ClockSteps(long[] stored, long[] walls) {
    this.stored = stored;
    this.walls = walls;
  }

  /** Returns these and one more: the greatest stored time, and what the wall clock shows. */
  public ClockSteps with(long last, long wall) {
    int kept = Math.min(stored.length, MAX_STEPS - 1);
    int from = stored.length - kept;
    long[] newStored = Arrays.copyOfRange(stored, from, from + kept + 1);
    long[] newWalls = Arrays.copyOfRange(walls, from, from + kept + 1);
    newStored[kept] = last;
    newWalls[kept] = wall;
    return new ClockSteps(newStored, newWalls);
  }

  /** Returns the time to be stored when the wall clock shows this. */
  public long storedAt(long wall) {
    int last = stored.length - 1;
    return last < 0
        ? wall
        : Math.max(wall, stored[last] + Math.max(0, wall - walls[last]) / SLOWNESS);
  }

  /** Returns a time such that all that was stored with an earlier one was so before this. */
  public long since(long wall) {
    int last = stored.length - 1;
    return last < 0 || wall < walls[last] ? wall : storedAt(wall);
  }

  /** Returns what the wall clock showed when this time was stored. */
  public long wallOf(long time) {
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

  /** Reads the file; a damaged one is quarantined and reported: then times count as they are. */
  public static ClockSteps read(LogDirectory log) throws IOException {
    Path file = log.path().resolve(NAME);
    return FORM.readOrQuarantine(
            file, log.identity(), fault -> LOG.warn("Queue {}: {}: {}", log.queue(), file, fault))
        .map(ClockSteps::decode)
        .orElse(NONE);
  }

  public void write(Path log, UUID queue) throws IOException {
    ByteBuffer out = Sealed.payload(stored.length * STEP_BYTES);
    for (int i = 0; i < stored.length; i++) {
      out.putLong(stored[i]).putLong(walls[i]);
    }
    FORM.write(log.resolve(NAME), queue, out);
  }

  private static ClockSteps decode(ByteBuffer in) {
    int count = in.remaining() / STEP_BYTES;
    ClockSteps read = new ClockSteps(new long[count], new long[count]);
    for (int i = 0; i < count; i++) {
      read.stored[i] = in.getLong();
      read.walls[i] = in.getLong();
    }
    return read;
  }
}
