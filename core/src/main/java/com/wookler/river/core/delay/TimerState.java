package com.wookler.river.core.delay;

import com.wookler.river.common.TimerClock;
import com.wookler.river.common.errors.DamagedException;
import com.wookler.river.common.file.Sealed;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Which messages were delivered when they were due, and which files hold those that wait: the files
 * {@code state-0} and {@code state-1}, written in turn, so that one is intact whatever happens to
 * the other. Each is a {@link Sealed} file of kind {@code TIM}, version 3, with this payload:
 *
 * <pre>
 *  offset  size  what
 *       0     8  generation; its lowest bit is the number in the file's name
 *       8     8  collected: delayed messages below this sequence are done or in the files
 *      16     8  copied: re-enqueued copies below this sequence are counted in what is done
 *      24    16  done: up to this time and sequence all in the files are
 *      40     8  number of the next file
 *      48    16  what the clock by which messages are due showed when this was written, and the wall
 *                clock
 *      64   40n  a file each, in the order of what they hold: number, the time and sequence from
 *                which on it holds messages, bytes that count, records that are not done
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

  private static final Sealed FORM = new Sealed("TIM", 3);
  private static final int FIXED_BYTES = 64;
  private static final int LINE_BYTES = 40;

  /** One file, with the bytes that count and the records that wait. */
  record Line(long number, Key from, long bytes, long records) {}

  TimerState {
    files = List.copyOf(files);
  }

  static Path path(Path directory, long generation) {
    return directory.resolve(PREFIX + (generation & 1));
  }

  /** Writes both files of a store that begins: below {@code collected} nothing else waits. */
  static TimerState writeFirst(
      Path directory, UUID queue, long collected, long nextNumber, List<Line> files)
      throws IOException {
    TimerClock.Reading unknown = TimerClock.Reading.NONE;
    new TimerState(1, collected, collected, Key.FIRST, nextNumber, unknown, files)
        .write(directory, queue);
    TimerState second =
        new TimerState(2, collected, collected, Key.FIRST, nextNumber, unknown, files);
    second.write(directory, queue);
    return second;
  }

  void write(Path directory, UUID queue) throws IOException {
    ByteBuffer out = Sealed.payload(FIXED_BYTES + LINE_BYTES * files.size());
    out.putLong(generation).putLong(collected).putLong(copied);
    out.putLong(done.time()).putLong(done.sequence()).putLong(nextNumber);
    out.putLong(clock.time()).putLong(clock.wall());
    for (Line line : files) {
      out.putLong(line.number).putLong(line.from.time()).putLong(line.from.sequence());
      out.putLong(line.bytes).putLong(line.records);
    }
    FORM.write(path(directory, generation), queue, out);
  }

  private static TimerState read(Path file, UUID queue) throws IOException {
    ByteBuffer in = FORM.read(file, queue);
    long generation = in.getLong();
    long collected = in.getLong();
    long copied = in.getLong();
    Key done = new Key(in.getLong(), in.getLong());
    long nextNumber = in.getLong();
    TimerClock.Reading clock = new TimerClock.Reading(in.getLong(), in.getLong());
    List<Line> lines = new ArrayList<>();
    while (in.hasRemaining()) {
      long number = in.getLong();
      Key from = new Key(in.getLong(), in.getLong());
      lines.add(new Line(number, from, in.getLong(), in.getLong()));
    }
    return new TimerState(generation, collected, copied, done, nextNumber, clock, lines);
  }

  /** The newest state and the one before it, null where unreadable, and what is wrong. */
  record Look(@Nullable TimerState newest, @Nullable TimerState before, List<String> faults) {}

  /** Reads both states of a directory; throws if a newer River wrote them. */
  static Look look(Path directory, UUID queue) throws IOException {
    List<TimerState> found = new ArrayList<>();
    List<String> faults = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      Path file = path(directory, i);
      try {
        if (Files.exists(file)) {
          found.add(read(file, queue));
        } else {
          faults.add("damaged: " + file + " is missing");
        }
      } catch (DamagedException e) {
        faults.add(file + " is " + e.getMessage());
      }
    }
    found.sort(Comparator.comparingLong(TimerState::generation).reversed());
    return new Look(
        found.isEmpty() ? null : found.get(0), found.size() < 2 ? null : found.get(1), faults);
  }
}
