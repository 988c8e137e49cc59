package com.wookler.river.core.delay;

import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.file.DurableFiles;
import com.wookler.river.core.message.DamagedMessageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * How far the delayed messages of a queue got, and which files hold those that wait: the files
 * {@code state-0} and {@code state-1}, written in turn, so that one is whole whatever happens to
 * the other. Numbers are little-endian:
 *
 * <pre>
 *  offset  size  what
 *       0     8  "RIVERTIM"
 *       8     4  version, 2
 *      12    16  the queue's UUID
 *      28     8  generation; its lowest bit is the number in the file's name
 *      36     8  collected: delayed messages below this sequence are done or in the files
 *      44     8  copied: re-enqueued copies below this sequence are counted in what is done
 *      52    16  done: up to this time and sequence all in the files are
 *      68     8  number of the next file
 *      76    16  what the clock by which messages are due showed when this was written, and the wall
 *                clock
 *      92     4  count of files
 *      96   40n  a file each, in the order of what they hold: number, the time and sequence from
 *                which on it holds messages, bytes that count, records that are not done
 *       …     4  CRC32C of all this
 * </pre>
 */
record TimerState(
    long generation,
    long collected,
    long copied,
    Key done,
    long nextNumber,
    TimerClock.Reading clock,
    List<Line> files) {
  static final String PREFIX = "state-";

  private static final long MAGIC = 0x4D49545245564952L; // "RIVERTIM"
  private static final int VERSION = 2;
  private static final int FIXED_BYTES = 96;
  private static final int LINE_BYTES = 40;

  /**
   * One file.
   *
   * @param records that wait
   */
  record Line(long number, Key from, long bytes, long records) {}

  TimerState {
    files = List.copyOf(files);
  }

  static Path path(Path directory, long generation) {
    return directory.resolve(PREFIX + (generation & 1));
  }

  void write(Path directory, UUID queue) throws IOException {
    ByteBuffer out =
        ByteBuffer.allocate(FIXED_BYTES + LINE_BYTES * files.size() + 4)
            .order(ByteOrder.LITTLE_ENDIAN);
    out.putLong(MAGIC).putInt(VERSION);
    out.putLong(queue.getMostSignificantBits()).putLong(queue.getLeastSignificantBits());
    out.putLong(generation).putLong(collected).putLong(copied);
    out.putLong(done.time()).putLong(done.sequence()).putLong(nextNumber);
    out.putLong(clock.time()).putLong(clock.wall()).putInt(files.size());
    for (Line line : files) {
      out.putLong(line.number).putLong(line.from.time()).putLong(line.from.sequence());
      out.putLong(line.bytes).putLong(line.records);
    }
    out.putInt(check(out.array(), out.position()));
    DurableFiles.write(path(directory, generation), out.array());
  }

  private static int check(byte[] bytes, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, length);
    return (int) crc.getValue();
  }

  /**
   * What one of the files says.
   *
   * @return empty if it is not there
   * @throws DamagedMessageException it is damaged
   * @throws RiverException a newer River wrote it
   */
  static Optional<TimerState> read(Path file, UUID queue) throws IOException {
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    byte[] bytes = Files.readAllBytes(file);
    ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    if (bytes.length < FIXED_BYTES + 4
        || in.getLong() != MAGIC
        || in.getInt(bytes.length - 4) != check(bytes, bytes.length - 4)) {
      throw new DamagedMessageException("damaged: " + file + " is not what was written");
    }
    int version = in.getInt();
    if (version != VERSION) {
      throw new RiverException(
          file + " has format version " + version + "; this River reads " + VERSION);
    }
    if (!new UUID(in.getLong(), in.getLong()).equals(queue)) {
      throw new DamagedMessageException("damaged: " + file + " is of another queue");
    }
    long generation = in.getLong();
    long collected = in.getLong();
    long copied = in.getLong();
    Key done = new Key(in.getLong(), in.getLong());
    long nextNumber = in.getLong();
    TimerClock.Reading clock = new TimerClock.Reading(in.getLong(), in.getLong());
    Line[] lines = new Line[in.getInt()];
    Arrays.setAll(
        lines,
        i ->
            new Line(
                in.getLong(), new Key(in.getLong(), in.getLong()), in.getLong(), in.getLong()));
    return Optional.of(
        new TimerState(generation, collected, copied, done, nextNumber, clock, List.of(lines)));
  }

  /**
   * What a directory says.
   *
   * @param newest null if nothing can be read
   * @param before the one before it, null if it cannot be read
   * @param faults what is wrong
   */
  record Look(@Nullable TimerState newest, @Nullable TimerState before, List<String> faults) {}

  static Look look(Path directory, UUID queue) throws IOException {
    List<TimerState> found = new ArrayList<>();
    List<String> faults = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      Path file = path(directory, i);
      try {
        Optional<TimerState> state = read(file, queue);
        state.ifPresent(found::add);
        if (state.isEmpty()) {
          faults.add("damaged: " + file + " is missing");
        }
      } catch (DamagedMessageException e) {
        faults.add(String.valueOf(e.getMessage()));
      }
    }
    found.sort((a, b) -> Long.compare(b.generation, a.generation));
    return new Look(
        found.isEmpty() ? null : found.get(0), found.size() < 2 ? null : found.get(1), faults);
  }
}
