package com.wookler.river.ack.journal;

import com.wookler.river.ack.AckJournal;
import com.wookler.river.common.errors.DamagedException;
import com.wookler.river.common.file.DurableFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Reads an {@link AckLog} in any condition; confined to the thread that opens the ledger. */
final class AckLogFile {
  enum Shape {
    UNUSED, // all zero: made ahead and never used, or not made to its end
    WHOLE, // each record up to the end is valid
    TORN, // its tail was lost: a record was cut off, or there were more records than there are
    DAMAGED // the rest: in its header or number of records, before a valid record, or too short
  }

  private static final byte[] ZEROS = new byte[4096];
  private static final int PIECE = 64 << 10;

  private final long generation;
  private final long seed;
  private final long length; // of the file
  private final int end; // after the last byte that is not zero
  private final ByteBuffer bytes; // at least a header, in whole records; what is missing is zero
  private final AckLog.@Nullable Header header;
  private final Shape shape;
  private int valid; // records before the first that is not, written in assess

  /** Reads all of a file, most of which is zero as a rule, in pieces. */
  private AckLogFile(Path path, long generation, Owner owner, FileChannel file) throws IOException {
    this.generation = generation;
    this.seed = AckLog.seed(generation, owner);
    ByteBuffer piece = ByteBuffer.allocate(PIECE);
    byte[] used = {};
    int usedEnd = 0;
    int read = 0;
    while (file.read(piece.clear().limit(Math.min(PIECE, AckLog.SIZE - read)), read) > 0) {
      int last = lastUsed(piece.array(), piece.position());
      if (last > 0) {
        usedEnd = read + last;
        used = Arrays.copyOf(used, at(recordsUpTo(usedEnd)));
        System.arraycopy(piece.array(), 0, used, read, last);
      }
      read += piece.position();
    }
    byte[] whole = used.length < AckLog.HEADER ? Arrays.copyOf(used, AckLog.HEADER) : used;
    this.length = Math.max(read, file.size());
    this.end = usedEnd;
    this.bytes = ByteBuffer.wrap(whole).order(ByteOrder.LITTLE_ENDIAN);
    this.header = readHeader(path, owner);
    this.shape = assess();
  }

  static AckLogFile read(Path path, long generation, Owner owner) throws IOException {
    return DurableFiles.withChannel(
        path, channel -> new AckLogFile(path, generation, owner, channel), StandardOpenOption.READ);
  }

  long generation() {
    return generation;
  }

  Shape shape() {
    return shape;
  }

  AckLog.@Nullable Header header() {
    return header;
  }

  /** Returns the number of records, valid or not, without those at the end that are all zero. */
  int size() {
    return recordsUpTo(end);
  }

  private static int recordsUpTo(int end) {
    return Math.max(0, (end - AckLog.HEADER + AckLog.RECORD - 1) / AckLog.RECORD);
  }

  /** Returns how many records the next opening continues after; -1 if it cannot continue. */
  int continued() {
    return shape == Shape.WHOLE && valid < AckLog.RECORDS ? valid : -1;
  }

  /** Returns whether there is a record at this index whose check is valid. */
  boolean isValid(int index) {
    if (index >= size()) {
      return false;
    }
    long half = bytes.getLong(at(index) + 8);
    return (type(index) >= AckLog.COMPLETED && type(index) <= AckLog.NOT_BEFORE)
        && first(index) >= 0
        && half == AckLog.secondHalf(seed, index, first(index), (int) half);
  }

  /** Passes the valid records to a visitor; returns how many there are. */
  int visit(JournalVisitor visitor) {
    int visited = 0;
    long tried = -1; // the message of the record before, if that has its attempts
    for (int index = 0; index < size(); index++) {
      boolean isValid = isValid(index);
      if (isValid) {
        visit(index, tried, visitor);
        visited++;
      }
      tried = isValid && type(index) == AckLog.ATTEMPTS ? first(index) : -1;
    }
    return visited;
  }

  private void visit(int index, long tried, JournalVisitor visitor) {
    switch (type(index)) {
      case AckLog.COMPLETED -> visitor.completed(first(index), number(index));
      case AckLog.ATTEMPTS -> visitor.attempts(first(index), number(index));
      default -> {
        if (tried >= 0) {
          visitor.notBefore(tried, first(index), number(index));
        }
      }
    }
  }

  private int type(int index) {
    return bytes.getInt(at(index) + 8) >>> 28;
  }

  /** Returns a sequence, or a time. */
  private long first(int index) {
    return bytes.getLong(at(index));
  }

  private int number(int index) {
    return bytes.getInt(at(index) + 8) & AckJournal.MAX_NUMBER;
  }

  private static int at(int index) {
    return AckLog.HEADER + index * AckLog.RECORD;
  }

  private AckLog.@Nullable Header readHeader(Path path, Owner owner) {
    try {
      AckLog.Header read = AckLog.Header.read(path, bytes.array(), owner);
      return length >= AckLog.HEADER && read.generation() == generation && read.lowWatermark() >= 0
          ? read
          : null;
    } catch (DamagedException e) {
      return null;
    }
  }

  private Shape assess() {
    if (end == 0) {
      return Shape.UNUSED;
    }
    while (valid < size() && isValid(valid)) {
      valid++;
    }
    for (int index = valid + 1; index < size(); index++) {
      if (isValid(index)) {
        return Shape.DAMAGED;
      }
    }
    if (header == null || length != AckLog.SIZE) {
      return Shape.DAMAGED;
    }
    long word = bytes.getLong(AckLog.COUNT);
    int count = (int) word;
    if (count < 0 || word != AckLog.countWord(count, seed)) {
      return Shape.DAMAGED;
    }
    return count <= valid && end <= at(valid) ? Shape.WHOLE : Shape.TORN;
  }

  /** Returns the end of the last byte that is not zero, 0 if all are. */
  private static int lastUsed(byte[] bytes, int length) {
    int end = length;
    while (end > 0 && isZero(bytes, Math.max(0, end - ZEROS.length), end)) {
      end = Math.max(0, end - ZEROS.length);
    }
    while (end > 0 && bytes[end - 1] == 0) {
      end--;
    }
    return end;
  }

  private static boolean isZero(byte[] bytes, int from, int to) {
    return Arrays.equals(bytes, from, to, ZEROS, 0, to - from);
  }
}
