package com.wookler.river.core.ack.journal;

import com.wookler.river.core.file.DurableFiles;
import com.wookler.river.core.file.MappedFile;
import com.wookler.river.core.file.Sealed;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The file {@code cursor}: the mark, which is the next sequence that was never delivered. Guarded
 * by the subscriber's lock, but for {@link #force}.
 *
 * <pre>
 * offset  size  content (little-endian; 4,096 bytes, the rest is zero)
 *      0     8  magic "RIVERCUR"
 *      8     4  version, 1
 *     12     4  kind: 0 without acknowledgement, 1 with, 2 with it and in the order of keys
 *     16     4  CRC32C of the owner's seed ({@link Owner}) and bytes 0 to 15
 *     64     8  slot A: the mark
 *     72     8  slot A: its check, {@link Checks#mix} of the mark XOR the owner's seed
 *    128    16  slot B, likewise
 *    192    16  generation of the acknowledgement log in use, likewise; 0 without acknowledgement
 * </pre>
 *
 * <p>In the order of keys, messages are delivered that stand behind others that were not. So the
 * mark says nothing there: it is where the subscriber began, or was moved to last, and each
 * delivery is told to the log of acknowledgements.
 *
 * <p>The slots are written in turn, so that a kill between the two stores of one leaves the other.
 * The mark only grows, but for a seek, which writes both: so the highest valid slot counts.
 */
final class Cursor {
  static final String NAME = "cursor";
  static final int SIZE = 4096;
  static final int VERSION = 1;
  static final int WITHOUT_ACK = 0;
  static final int WITH_ACK = 1;
  static final int BY_KEY = 2;
  static final int SLOT_A = 64;
  static final int SLOT_B = 128;
  static final int GENERATION = 192;

  /** "RIVERCUR" as a little-endian long. */
  static final long MAGIC = 0x5255_4352_4556_4952L;

  private static final int KIND = 12;
  private static final int HEADER_CRC = 16;

  /** What a file holds for a subscriber of another kind. */
  static final Content OF_ANOTHER_KIND = new Content(-1, -1, 0, SLOT_A, 0, true);

  private final MappedFile file;
  private final Owner owner;
  private int nextSlot;

  private Cursor(MappedFile file, Owner owner, int nextSlot) {
    this.file = file;
    this.owner = owner;
    this.nextSlot = nextSlot;
  }

  /**
   * What a cursor file holds.
   *
   * @param kind as in the header; -1 if the header is damaged
   * @param mark the highest valid slot; -1 if neither is valid
   * @param slots how many slots are valid
   * @param older the slot that doesn't have the mark, to be written next
   * @param generation the log in use; 0 if damaged
   * @param named whether it says which log is in use
   */
  record Content(int kind, long mark, int slots, int older, long generation, boolean named) {
    /** Returns whether the file can go on being used as it is. */
    boolean sound() {
      return kind >= 0 && slots > 0;
    }
  }

  /** Reads the file of a subscriber without changing it; whatever it holds, this doesn't fail. */
  static Content read(Path path, Owner owner) throws IOException {
    byte[] bytes = new byte[SIZE];
    byte[] found = Files.readAllBytes(path);
    System.arraycopy(found, 0, bytes, 0, Math.min(found.length, SIZE));
    ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    boolean header =
        in.getLong(0) == MAGIC
            && in.getInt(HEADER_CRC) == Checks.crc32c(owner, bytes, 0, HEADER_CRC);
    if (header && in.getInt(8) != VERSION) {
      throw Sealed.otherFormat(path, in.getInt(8), VERSION);
    }
    long mark = -1;
    int slots = 0;
    int older = SLOT_A;
    for (int slot : new int[] {SLOT_A, SLOT_B}) {
      long value = slot(in, slot, owner);
      slots += value < 0 ? 0 : 1;
      if (value > mark) {
        mark = value;
        older = slot == SLOT_A ? SLOT_B : SLOT_A;
      }
    }
    int kind = header && found.length == SIZE ? in.getInt(KIND) : -1;
    long generation = slot(in, GENERATION, owner);
    return new Content(kind, mark, slots, older, Math.max(0, generation), generation >= 0);
  }

  /** Makes the file, replacing an old one, and forces it. */
  static Cursor create(Path directory, Owner owner, int kind, long mark) throws IOException {
    byte[] bytes = new byte[SIZE];
    ByteBuffer out = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    out.putLong(0, MAGIC).putInt(8, VERSION).putInt(KIND, kind);
    out.putInt(HEADER_CRC, Checks.crc32c(owner, bytes, 0, HEADER_CRC));
    for (int slot : new int[] {SLOT_A, SLOT_B, GENERATION}) {
      long value = slot == GENERATION ? 0 : mark;
      out.putLong(slot, value).putLong(slot + 8, Checks.mix(value ^ owner.seed()));
    }
    Path path = directory.resolve(NAME);
    Path temporary = directory.resolve(NAME + Generations.TEMPORARY);
    DurableFiles.createFile(temporary);
    DurableFiles.overwrite(temporary, bytes);
    DurableFiles.move(temporary, path);
    DurableFiles.forceDirectory(directory);
    return new Cursor(MappedFile.open(path, SIZE, owner::isSound), owner, SLOT_A);
  }

  /** Opens a file that was found sound, for storing. */
  static Cursor open(Path directory, Owner owner, Content content) throws IOException {
    return new Cursor(
        MappedFile.open(directory.resolve(NAME), SIZE, owner::isSound), owner, content.older());
  }

  Path path() {
    return file.path();
  }

  /** Moves the mark up. */
  void store(long mark) {
    putSlot(nextSlot, mark);
    nextSlot = nextSlot == SLOT_A ? SLOT_B : SLOT_A;
    file.touched();
  }

  /** Moves the mark anywhere: in effect once both slots have it. */
  void reset(long mark) {
    store(mark);
    store(mark);
  }

  /** Says which log is in use. */
  void generation(long generation) {
    putSlot(GENERATION, generation);
    file.touched();
  }

  void force() throws IOException {
    file.force();
  }

  void close() {
    file.close();
  }

  /** Returns a slot's value, -1 if it is damaged. */
  private static long slot(ByteBuffer in, int offset, Owner owner) {
    long value = in.getLong(offset);
    return value >= 0 && in.getLong(offset + 8) == Checks.mix(value ^ owner.seed()) ? value : -1;
  }

  private void putSlot(int slot, long mark) {
    file.put(slot, mark);
    file.put(slot + 8, Checks.mix(mark ^ owner.seed()));
  }
}
