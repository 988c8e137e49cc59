package com.wookler.river.ack.journal;

import com.wookler.river.ack.AckJournal;
import com.wookler.river.common.file.Checksum;
import com.wookler.river.common.file.MappedFile;
import com.wookler.river.common.file.Sealed;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * The file {@code ack-<generation>.log}: journal entries in the order of the changes. Guarded by
 * the subscriber's lock, but for {@link #force} and {@link #close}.
 *
 * <pre>
 * offset  size  content (little-endian; 262,224 bytes)
 *      0    64  header, {@link Sealed}, whose owner is the subscriber; its payload:
 *            4  flags: bit 0: all earlier entries are void (a seek, or the first log of all)
 *            8  generation
 *            8  low watermark when the log began
 *            8  generation of the log before this one; 0 for the first
 *     64     4  number of records: where there are fewer, a tail was lost
 *     68     4  upper half of {@link Checksum#mix} of (that number XOR the log's seed)
 *     80        16,384 records of 16 bytes:
 *            8  sequence; for type 3 a time, in milliseconds since 1970
 *            4  type (4 bits) and number n (28 bits)
 *                 1 COMPLETED: n messages from the sequence on are completed
 *                 2 ATTEMPTS: n deliveries of the message count, and it is not delayed
 *                 3 NOT_BEFORE, after an ATTEMPTS: its message is delayed until that time, which
 *                     was to be n seconds, rounded up
 *            4  check over the log's seed, which is made of generation and owner, the index of the
 *                 record, and the two fields before
 * </pre>
 *
 * <p>A file is made ahead and all zero until its header is stored. The second half of a record is
 * one aligned store, so that a kill leaves a record whole or invalid. For the same reason a run
 * that continues the last one is added to its record: acknowledging in order takes no space at all.
 * A log may be replayed twice, and after a snapshot that has some of its entries.
 */
public final class AckLog {
  public static final int HEADER = 80;
  public static final int RECORD = 16;
  public static final int RECORDS = 16_384;
  public static final int SIZE = HEADER + RECORDS * RECORD;
  static final int FLAG_RESTART = 1;
  static final int COMPLETED = 1;
  static final int ATTEMPTS = 2;
  static final int NOT_BEFORE = 3;
  static final int COUNT = 64; // the offset of the number of records, after the sealed header
  private static final Sealed FORM = new Sealed("ACK", 1);

  private final MappedFile file;
  private final long seed;
  private int records;
  private int runIndex;
  private long runFrom;
  private long runEnd = -1;

  /** The content of a header; {@code restart}: all earlier entries are void. */
  record Header(long generation, long previous, long lowWatermark, boolean restart) {
    byte[] encode(Owner owner) {
      ByteBuffer out = Sealed.payload(28).putInt(restart ? FLAG_RESTART : 0);
      out.putLong(generation).putLong(lowWatermark).putLong(previous);
      return FORM.encode(owner.id(), out);
    }

    static Header read(Path file, byte[] bytes, Owner owner) {
      ByteBuffer in = FORM.read(file, Arrays.copyOf(bytes, COUNT), owner.id());
      boolean restart = (in.getInt() & FLAG_RESTART) != 0;
      long generation = in.getLong();
      long lowWatermark = in.getLong();
      return new Header(generation, in.getLong(), lowWatermark, restart);
    }
  }

  /**
   * Puts a file that is made ahead into use. Its header is forced with the first entry, and at the
   * next force if it makes earlier entries void.
   */
  AckLog(MappedFile file, Header about, Owner owner) {
    this.file = file;
    this.seed = seed(about.generation(), owner);
    byte[] header = Arrays.copyOf(about.encode(owner), HEADER);
    ByteBuffer.wrap(header).order(ByteOrder.LITTLE_ENDIAN).putLong(COUNT, countWord(0, seed));
    file.put(header);
    if (about.restart()) {
      file.touched();
    }
  }

  /** Continues a file that was found whole, after this number of records. */
  AckLog(MappedFile file, long generation, int records, Owner owner) {
    this.file = file;
    this.seed = seed(generation, owner);
    this.records = records;
    long count = countWord(records, seed);
    if (file.get(COUNT) != count) { // a kill has left one less
      file.put(COUNT, count);
    }
  }

  /** Stores a run of completed messages. Returns false, and stores nothing, if the log is full. */
  boolean completed(long from, int count) {
    long total = from + count - runFrom;
    if (from == runEnd && total <= AckJournal.MAX_NUMBER) {
      putSecondHalf(runIndex, runFrom, (COMPLETED << 28) | (int) total);
    } else {
      if (!append(from, (COMPLETED << 28) | count)) {
        return false;
      }
      runIndex = records - 1;
      runFrom = from;
    }
    runEnd = from + count;
    return true;
  }

  /** Stores the attempts of a message. Returns false, and stores nothing, if the log is full. */
  boolean attempts(long sequence, int attempts) {
    return append(sequence, (ATTEMPTS << 28) | attempts);
  }

  /** Stores the attempts of a delayed message, or nothing and returns false if the log is full. */
  boolean notBefore(long sequence, int attempts, long untilMillis, int delaySeconds) {
    return records < RECORDS - 1
        && append(sequence, (ATTEMPTS << 28) | attempts)
        && append(Math.max(0, untilMillis), (NOT_BEFORE << 28) | delaySeconds);
  }

  int records() {
    return records;
  }

  Path path() {
    return file.path();
  }

  boolean force() throws IOException {
    return file.force();
  }

  void close() {
    file.close();
  }

  private boolean append(long sequence, int typeAndNumber) {
    if (records == RECORDS) {
      return false;
    }
    file.put(HEADER + records * RECORD, sequence);
    putSecondHalf(records, sequence, typeAndNumber);
    records++;
    file.put(COUNT, countWord(records, seed));
    return true;
  }

  /** Returns the number of records with its check. */
  static long countWord(int count, long seed) {
    return (Checksum.mix(count ^ seed) & 0xFFFF_FFFF_0000_0000L) | count;
  }

  private void putSecondHalf(int index, long sequence, int typeAndNumber) {
    file.put(HEADER + index * RECORD + 8, secondHalf(seed, index, sequence, typeAndNumber));
    file.touched();
  }

  /** Returns the last 8 bytes of a record: type, number and check. */
  static long secondHalf(long seed, int index, long first, int typeAndNumber) {
    long low = typeAndNumber & 0xFFFF_FFFFL;
    long check = Checksum.mix(Checksum.mix(first ^ seed) ^ ((long) index << 32) ^ low);
    return (check & 0xFFFF_FFFF_0000_0000L) | low;
  }

  /** Returns the seed of the checks of one generation's records. */
  static long seed(long generation, Owner owner) {
    return Checksum.mix(generation ^ owner.seed());
  }
}
