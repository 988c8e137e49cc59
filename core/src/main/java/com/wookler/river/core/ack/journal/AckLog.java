package com.wookler.river.core.ack.journal;

import com.wookler.river.core.file.Checksum;
import com.wookler.river.core.file.MappedFile;
import com.wookler.river.core.file.Sealed;
import com.wookler.river.core.message.DamagedMessageException;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * The file {@code ack-<generation>.log}: facts in the order they happened. Guarded by the
 * subscriber's lock, but for {@link #force} and {@link #close}.
 *
 * <pre>
 * offset  size  content (little-endian; 262,224 bytes)
 *      0    64  header, {@link Sealed}, whose owner is the subscriber; its payload:
 *            4  flags: bit 0: everything told before is void (a seek, or the first log of all)
 *            8  generation
 *            8  low watermark when the log began
 *            8  generation of the log before this one; 0 for the first
 *     64     4  how many records are stored behind it: fewer are a tail that was lost
 *     68     4  upper half of {@link Checksum#mix} of (that number XOR the generation XOR the seed)
 *     80        16,384 records of 16 bytes:
 *            8  sequence; for type 3 a time, in milliseconds since 1970
 *            4  type (4 bits) and number (28 bits)
 *                 1 FINISHED: so many messages from the sequence on are completed
 *                 2 ATTEMPTS: so many deliveries of the message count, and it is not delayed
 *                 3 NOT_BEFORE, right behind an ATTEMPTS: its message is delayed until that time,
 *                     and was to be for so many seconds, rounded up
 *            4  CRC32C of generation XOR the owner's seed (8 bytes), the record's place (4),
 *                 and the two fields above
 * </pre>
 *
 * <p>A file is made ahead and all zero until its header is stored. The second half of a record is
 * one aligned store, so that a kill leaves a record whole or invalid. For the same reason a run
 * that goes on where the last one ended is added to its record: acknowledging in order takes no
 * space at all. A log may be replayed twice, and behind a snapshot that has some of its facts.
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
  public static final int MAX_NUMBER = (1 << 28) - 1;

  /** The offset of the number of records, behind the sealed header. */
  static final int COUNT = 64;

  private static final Sealed FORM = new Sealed("ACK", 1);

  private final MappedFile file;
  private final Summer summer;
  private final long countSeed;
  private int records;
  private int runPlace;
  private long runFrom;
  private long runEnd = -1;

  /**
   * What the header says.
   *
   * @param restart everything told before is void
   */
  record Header(long generation, long previous, long lowWatermark, boolean restart) {
    byte[] encode(Owner owner) {
      ByteBuffer out = Sealed.payload(28).putInt(restart ? FLAG_RESTART : 0);
      out.putLong(generation).putLong(lowWatermark).putLong(previous);
      return FORM.encode(owner.id(), out);
    }

    /**
     * Reads the header of a file.
     *
     * @throws DamagedMessageException it is damaged
     */
    static Header read(Path file, byte[] bytes, Owner owner) {
      ByteBuffer in = FORM.read(file, Arrays.copyOf(bytes, COUNT), owner.id());
      boolean restart = (in.getInt() & FLAG_RESTART) != 0;
      long generation = in.getLong();
      long lowWatermark = in.getLong();
      return new Header(generation, in.getLong(), lowWatermark, restart);
    }
  }

  /**
   * Puts a file that is made ahead into use. Its header goes to the device with the first fact; at
   * the next force if it says something by itself.
   */
  AckLog(MappedFile file, Header about, Owner owner) {
    this.file = file;
    this.summer = new Summer(about.generation(), owner);
    this.countSeed = about.generation() ^ owner.seed();
    byte[] header = Arrays.copyOf(about.encode(owner), HEADER);
    ByteBuffer.wrap(header).order(ByteOrder.LITTLE_ENDIAN).putLong(COUNT, countWord(0, countSeed));
    file.put(header);
    if (about.restart()) {
      file.touched();
    }
  }

  /** Continues a file that was found whole, after so many records. */
  AckLog(MappedFile file, long generation, int records, Owner owner) {
    this.file = file;
    this.summer = new Summer(generation, owner);
    this.countSeed = generation ^ owner.seed();
    this.records = records;
    long count = countWord(records, countSeed);
    if (file.get(COUNT) != count) { // a kill has left one less
      file.put(COUNT, count);
    }
  }

  /** Stores a run of completed messages. Returns false, and stores nothing, if the log is full. */
  boolean completed(long from, int count) {
    long total = from + count - runFrom;
    if (from == runEnd && total <= MAX_NUMBER) {
      putSecondHalf(runPlace, runFrom, (COMPLETED << 28) | (int) total);
    } else {
      if (!append(from, (COMPLETED << 28) | count)) {
        return false;
      }
      runPlace = records - 1;
      runFrom = from;
    }
    runEnd = from + count;
    return true;
  }

  /** Stores the attempts of a message. Returns false, and stores nothing, if the log is full. */
  boolean attempts(long sequence, int attempts) {
    return append(sequence, (ATTEMPTS << 28) | attempts);
  }

  /**
   * Stores the attempts of a message that is delayed. Returns false, and stores nothing, if the log
   * has not the room for two records.
   */
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
    file.put(COUNT, countWord(records, countSeed));
    return true;
  }

  /** Returns the number of records with its check. */
  static long countWord(int count, long seed) {
    return (Checksum.mix(count ^ seed) & 0xFFFF_FFFF_0000_0000L) | count;
  }

  private void putSecondHalf(int place, long sequence, int typeAndNumber) {
    long check = summer.sum(place, sequence, typeAndNumber);
    file.put(HEADER + place * RECORD + 8, (check << 32) | (typeAndNumber & 0xFFFF_FFFFL));
    file.touched();
  }

  /** Checksums of one generation's records, without garbage. */
  static final class Summer {
    private static final VarHandle LONGS =
        MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INTS =
        MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

    private final byte[] bytes = new byte[24];
    private final CRC32C crc = new CRC32C();

    Summer(long generation, Owner owner) {
      LONGS.set(bytes, 0, generation ^ owner.seed());
    }

    int sum(int place, long sequence, int typeAndNumber) {
      INTS.set(bytes, 8, place);
      LONGS.set(bytes, 12, sequence);
      INTS.set(bytes, 20, typeAndNumber);
      crc.reset();
      crc.update(bytes, 0, bytes.length);
      return (int) crc.getValue();
    }
  }
}
