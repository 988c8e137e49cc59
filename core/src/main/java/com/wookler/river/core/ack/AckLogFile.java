package com.wookler.river.core.ack;

import com.wookler.river.common.errors.RiverException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What a recovery finds in one {@link AckLog}, whatever has happened to the file. Confined to the
 * thread that opens the ledger.
 */
final class AckLogFile {
  /** In which shape it is. */
  enum Shape {
    /** All zero: made ahead and never used, or not made to its end. */
    UNUSED,
    /** Each record up to the end is valid. */
    WHOLE,
    /** Its tail was lost: a record was cut off, or there were more records than there are. */
    TORN,
    /**
     * The header or the number of records is damaged, or there are valid records behind an invalid
     * one, or bytes are missing.
     */
    DAMAGED
  }

  private static final byte[] ZEROS = new byte[4096];

  private final long generation;
  private final long seed;
  private final int places;
  private final ByteBuffer bytes;
  private final AckLog.Summer summer;
  private final AckLog.@Nullable Header header;
  private final Shape shape;
  private int valid; // records before the first that is not, written in assess

  private AckLogFile(Path path, long generation, Owner owner, byte[] found) {
    this.generation = generation;
    this.seed = owner.seed();
    this.bytes = ByteBuffer.wrap(found).order(ByteOrder.LITTLE_ENDIAN);
    this.summer = new AckLog.Summer(generation, owner);
    this.places = placesUpTo(usedEnd(found));
    this.header = readHeader(path, owner, found);
    this.shape = assess(found);
  }

  static AckLogFile read(Path path, long generation, Owner owner) throws IOException {
    return new AckLogFile(path, generation, owner, Files.readAllBytes(path));
  }

  long generation() {
    return generation;
  }

  Shape shape() {
    return shape;
  }

  /** The header, null if it is damaged. */
  AckLog.@Nullable Header header() {
    return header;
  }

  /** How many whole places for records there are, without those at the end that are all zero. */
  int places() {
    return places;
  }

  private int placesUpTo(int used) {
    int whole = Math.max(0, (bytes.capacity() - AckLog.HEADER) / AckLog.RECORD);
    int begun = Math.max(0, (used - AckLog.HEADER + AckLog.RECORD - 1) / AckLog.RECORD);
    return Math.min(AckLog.RECORDS, Math.min(whole, begun));
  }

  /** How many records the next opening continues after; -1 if this log cannot be continued. */
  int continued() {
    return shape == Shape.WHOLE && valid < AckLog.RECORDS ? valid : -1;
  }

  /** Whether a record stands there that proves itself by its checksum. */
  boolean isValid(int place) {
    int type = type(place);
    return (type >= AckLog.FINISHED && type <= AckLog.NOT_BEFORE)
        && first(place) >= 0
        && bytes.getInt(at(place) + 12)
            == summer.sum(place, first(place), bytes.getInt(at(place) + 8));
  }

  /** Tells what the valid records say; returns how many there are. */
  int tell(Facts facts) {
    int told = 0;
    long tried = -1; // the message whose attempts the record before told
    for (int place = 0; place < places(); place++) {
      boolean isValid = isValid(place);
      if (isValid) {
        tell(place, tried, facts);
        told++;
      }
      tried = isValid && type(place) == AckLog.ATTEMPTS ? first(place) : -1;
    }
    return told;
  }

  private void tell(int place, long tried, Facts facts) {
    switch (type(place)) {
      case AckLog.FINISHED -> facts.finished(first(place), number(place));
      case AckLog.ATTEMPTS -> facts.attempts(first(place), number(place));
      default -> {
        if (tried >= 0) {
          facts.notBefore(tried, first(place), number(place));
        }
      }
    }
  }

  private int type(int place) {
    return bytes.getInt(at(place) + 8) >>> 28;
  }

  /** A sequence, or a time. */
  private long first(int place) {
    return bytes.getLong(at(place));
  }

  private int number(int place) {
    return bytes.getInt(at(place) + 8) & AckLog.MAX_NUMBER;
  }

  private static int at(int place) {
    return AckLog.HEADER + place * AckLog.RECORD;
  }

  private AckLog.@Nullable Header readHeader(Path path, Owner owner, byte[] found) {
    if (found.length < AckLog.HEADER
        || bytes.getLong(0) != AckLog.MAGIC
        || bytes.getInt(AckLog.HEADER_CRC) != Checks.crc32c(owner, found, 0, AckLog.HEADER_CRC)) {
      return null;
    }
    if (bytes.getInt(8) != AckLog.VERSION) {
      throw new RiverException(
          path
              + " has format version "
              + bytes.getInt(8)
              + ", written by a newer River; this one knows "
              + AckLog.VERSION);
    }
    boolean restart = (bytes.getInt(12) & AckLog.FLAG_RESTART) != 0;
    var read = new AckLog.Header(bytes.getLong(16), bytes.getLong(32), bytes.getLong(24), restart);
    return read.generation() == generation && read.floor() >= 0 ? read : null;
  }

  private Shape assess(byte[] found) {
    if (isZero(found, 0, found.length)) {
      return Shape.UNUSED;
    }
    while (valid < places() && isValid(valid)) {
      valid++;
    }
    for (int place = valid + 1; place < places(); place++) {
      if (isValid(place)) {
        return Shape.DAMAGED;
      }
    }
    if (header == null || found.length != AckLog.SIZE) {
      return Shape.DAMAGED;
    }
    long word = bytes.getLong(AckLog.COUNT);
    int count = (int) word;
    if (count < 0 || word != AckLog.countWord(count, generation ^ seed)) {
      return Shape.DAMAGED;
    }
    return count <= valid && isZero(found, at(valid), found.length) ? Shape.WHOLE : Shape.TORN;
  }

  private static boolean isZero(byte[] bytes, int from, int to) {
    for (int at = from; at < to; at += ZEROS.length) {
      int end = Math.min(to, at + ZEROS.length);
      if (!Arrays.equals(bytes, at, end, ZEROS, 0, end - at)) {
        return false;
      }
    }
    return true;
  }

  /** The end of the last part of {@link #ZEROS}' length that is not all zero. */
  private static int usedEnd(byte[] bytes) {
    int end = bytes.length;
    while (end > 0) {
      int from = Math.max(0, end - ZEROS.length);
      if (!isZero(bytes, from, end)) {
        return end;
      }
      end = from;
    }
    return 0;
  }
}
