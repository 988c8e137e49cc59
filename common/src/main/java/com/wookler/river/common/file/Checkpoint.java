package com.wookler.river.common.file;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.errors.RiverException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * The form of a small mapped file that holds a few numbers, each of which is stored over and over.
 * Numbers are little-endian:
 *
 * <pre>
 *  offset  size  what
 *       0     8  "RIVER" and three letters for the kind of file
 *       8     4  version of this kind
 *      12     4  an attribute of the file, which never changes
 *      16    16  owner: the UUID of the queue, or one derived for a subscriber
 *      32     4  CRC32C of bytes 0..31
 *       a    16  slot A of a number at the offset a: the number, then its check
 *    a+64    16  slot B of that number
 * </pre>
 *
 * <p>The slots of a number are written in turn, the number first, so that a kill between the two
 * stores leaves the other slot. The highest number that fits its check counts, as a number only
 * grows; one that may fall is stored twice. Where only one slot fits, the number may be the one
 * before the last. The check is mixed with the owner and the offset, so that a number of another
 * file, or of another number of this one, does not fit.
 */
public final class Checkpoint {
  private static final int VERSION_AT = 8;
  private static final int ATTRIBUTE_AT = 12;
  private static final int OWNER_AT = 16;
  private static final int CRC_AT = 32;
  private static final int SLOT_BYTES = 64;

  private final byte[] magic;
  private final int version;
  private final int bytes;
  private final int[] offsets;

  /**
   * Creates the form of one kind of file.
   *
   * @param kind three letters
   * @param version that is written, and the only one that is read
   * @param bytes that a file has
   * @param offsets of the numbers, multiples of 128 but for 64 more
   */
  public Checkpoint(String kind, int version, int bytes, int... offsets) {
    this.magic = ("RIVER" + kind).getBytes(StandardCharsets.US_ASCII);
    this.version = version;
    this.bytes = bytes;
    this.offsets = offsets.clone();
  }

  /**
   * A number as its slots have it.
   *
   * @param value the higher one that fits its check; -1 if neither does
   * @param valid how many slots fit their check
   */
  public record Slots(long value, int valid, int at, int next, long seed) {
    /** Returns the number, 0 if neither slot has one. */
    public long orZero() {
      return Math.max(0, value);
    }

    /** Returns whether it is the number that was stored last, not the one before. */
    public boolean isExact() {
      return valid == 2;
    }

    /** Returns a number whose slots both hold this value. */
    public Slots with(long number) {
      return new Slots(number, 2, at, next, seed);
    }
  }

  /**
   * What a file holds.
   *
   * @param header whether the header is intact and that of this owner, and the file has its length
   * @param attribute of the header
   * @param numbers in the order of the form
   */
  public record Content(boolean header, int attribute, List<Slots> numbers) {
    /** Returns a number, by its position in the form. */
    public Slots number(int i) {
      return numbers.get(i);
    }
  }

  /**
   * Reads a file, whatever it holds.
   *
   * @throws ConfigurationException another version of River wrote it
   */
  public Content read(Path file, byte[] found, UUID owner) {
    if (isHeader(found) && intAt(found, VERSION_AT) != version) {
      throw Sealed.otherFormat(file, intAt(found, VERSION_AT), version);
    }
    return decode(found, owner);
  }

  /** Returns what these bytes hold, whatever they are. */
  public Content decode(byte[] found, UUID owner) {
    ByteBuffer in = ByteBuffer.wrap(Arrays.copyOf(found, bytes)).order(ByteOrder.LITTLE_ENDIAN);
    Slots[] numbers = new Slots[offsets.length];
    for (int i = 0; i < offsets.length; i++) {
      numbers[i] = slots(in, offsets[i], owner);
    }
    boolean header =
        found.length == bytes && isHeader(found) && ownerOf(found).equals(Optional.of(owner));
    return new Content(header, in.getInt(ATTRIBUTE_AT), List.of(numbers));
  }

  private static Slots slots(ByteBuffer in, int at, UUID owner) {
    long seed = Checksum.mix(Checksum.mix(owner.getMostSignificantBits()) ^ at);
    seed = Checksum.mix(seed ^ owner.getLeastSignificantBits());
    long a = valid(in, at, seed);
    long b = valid(in, at + SLOT_BYTES, seed);
    int older = at + (a > b ? SLOT_BYTES : 0);
    return new Slots(Math.max(a, b), (a < 0 ? 0 : 1) + (b < 0 ? 0 : 1), at, older, seed);
  }

  private static long valid(ByteBuffer in, int at, long seed) {
    long value = in.getLong(at);
    return value >= 0 && in.getLong(at + 8) == Checksum.mix(value ^ seed) ? value : -1;
  }

  /** Returns the owner that intact bytes name; empty if their beginning is damaged. */
  public Optional<UUID> ownerOf(byte[] found) {
    if (!isHeader(found)) {
      return Optional.empty();
    }
    ByteBuffer in = ByteBuffer.wrap(found).order(ByteOrder.LITTLE_ENDIAN);
    return Optional.of(new UUID(in.getLong(OWNER_AT), in.getLong(OWNER_AT + 8)));
  }

  private boolean isHeader(byte[] found) {
    return found.length >= CRC_AT + 4
        && Arrays.equals(found, 0, magic.length, magic, 0, magic.length)
        && intAt(found, CRC_AT) == Checksum.of(found, 0, CRC_AT);
  }

  private static int intAt(byte[] found, int offset) {
    return ByteBuffer.wrap(found).order(ByteOrder.LITTLE_ENDIAN).getInt(offset);
  }

  /** Returns a file with this content; a number of which no slot is valid is left out. */
  public byte[] encode(UUID owner, Content content) {
    byte[] file = new byte[bytes];
    ByteBuffer out = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
    out.put(magic).putInt(version).putInt(content.attribute());
    out.putLong(owner.getMostSignificantBits()).putLong(owner.getLeastSignificantBits());
    out.putInt(Checksum.of(file, 0, CRC_AT));
    for (Slots number : content.numbers()) {
      for (int slot : new int[] {number.at(), number.at() + SLOT_BYTES}) {
        if (number.valid() > 0) {
          out.putLong(slot, number.value());
          out.putLong(slot + 8, Checksum.mix(number.value() ^ number.seed()));
        }
      }
    }
    return file;
  }

  /** Returns how many bytes a file has. */
  public int bytes() {
    return bytes;
  }

  /** One number of a mapped file. Guarded by its writer's lock. */
  public static final class Stored {
    private final MappedFile file;
    private final long seed;
    private final int both; // offsets of its slots, one xor the other
    private int slot;
    private long value;

    /** Continues a number of a file. */
    public Stored(MappedFile file, Slots slots) {
      this.file = file;
      this.seed = slots.seed();
      this.both = slots.at() ^ (slots.at() + SLOT_BYTES);
      this.slot = slots.next();
      this.value = slots.orZero();
    }

    /** Returns the number as it was stored last, or read. */
    public long value() {
      return value;
    }

    /**
     * Stores a number that is not below the last one; a kill leaves this one or that.
     *
     * @throws RiverException the file cannot be written
     */
    public void store(long number) {
      file.put(slot, number);
      file.put(slot + 8, Checksum.mix(number ^ seed));
      slot ^= both;
      value = number;
    }

    /** Stores any number: in effect once both slots have it. */
    public void reset(long number) {
      store(number);
      store(number);
    }
  }
}
