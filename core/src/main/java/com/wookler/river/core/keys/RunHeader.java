package com.wookler.river.core.keys;

import com.wookler.river.core.file.Checksum;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.UUID;
import java.util.zip.CRC32C;

/**
 * What a run says of itself, and how its file is laid out: pages of 4,096 bytes, the first one for
 * this. Numbers are little-endian:
 *
 * <pre>
 *  offset  size  what
 *       0     8  "RIVKEYS1", the last of it the version
 *       8    16  UUID of the queue
 *      24     8  number of the run, as in its name
 *      32     8  the first sequence that it covers
 *      40     8  the sequence behind the last that it covers
 *      48     8  count of entries
 *      56     …  zeros
 *    4092     4  CRC32C of all before
 * </pre>
 *
 * <p>Each further page has up to 255 entries, in the order of their hashes, through all pages:
 *
 * <pre>
 *       0    16  each entry: hash of the key (8), sequence of its last message (8)
 *    4080     4  number of the page, from 0
 *    4084     4  count of its entries; 255 but in the last page
 *    4088     4  0
 *    4092     4  CRC32C of UUID and number of the run, as in the header, and of all before
 * </pre>
 *
 * @param queue to which it belongs
 * @param number higher than that of each run that was there when it was made
 * @param from the first sequence that it covers
 * @param end the sequence behind the last
 * @param count of entries
 */
@SuppressWarnings("ByteBufferBackingArray") // pages are allocated on the heap
record RunHeader(UUID queue, long number, long from, long end, long count) {
  static final int PAGE_BYTES = 4096;
  static final int ENTRY_BYTES = 16;
  static final int PAGE_ENTRIES = 255;

  private static final byte[] MAGIC = "RIVKEYS1".getBytes(StandardCharsets.US_ASCII);
  private static final int CHECK_AT = PAGE_BYTES - 4; // of each page
  private static final int PAGE_AT = PAGE_ENTRIES * ENTRY_BYTES;

  int pages() {
    return (int) ((count + PAGE_ENTRIES - 1) / PAGE_ENTRIES);
  }

  long bytes() {
    return PAGE_BYTES * (1L + pages());
  }

  int entriesOf(int page) {
    return (int) Math.min(PAGE_ENTRIES, count - (long) page * PAGE_ENTRIES);
  }

  static ByteBuffer page() {
    return ByteBuffer.allocate(PAGE_BYTES).order(ByteOrder.LITTLE_ENDIAN);
  }

  byte[] encode() {
    ByteBuffer out = page();
    out.put(MAGIC).put(owner(queue, number));
    out.putLong(from).putLong(end).putLong(count);
    return out.putInt(CHECK_AT, Checksum.ofAllBefore(out.array())).array();
  }

  /** Takes the first page; throws {@link RunDamage} if it is none. */
  static RunHeader decode(byte[] page) throws RunDamage {
    ByteBuffer in = ByteBuffer.wrap(page).order(ByteOrder.LITTLE_ENDIAN);
    if (!Arrays.equals(page, 0, MAGIC.length, MAGIC, 0, MAGIC.length)) {
      throw new RunDamage("it does not begin like one of format 1");
    }
    if (in.getInt(CHECK_AT) != Checksum.of(page, 0, CHECK_AT)) {
      throw new RunDamage("the checksum of its header is wrong");
    }
    in.position(MAGIC.length);
    UUID queue = new UUID(in.getLong(), in.getLong());
    return new RunHeader(queue, in.getLong(), in.getLong(), in.getLong(), in.getLong());
  }

  private static byte[] owner(UUID queue, long number) {
    ByteBuffer bytes = ByteBuffer.allocate(24).order(ByteOrder.LITTLE_ENDIAN);
    bytes.putLong(queue.getMostSignificantBits()).putLong(queue.getLeastSignificantBits());
    return bytes.putLong(number).array();
  }

  /** The checks of the pages of one run. */
  static final class PageCheck {
    private final CRC32C crc = new CRC32C();
    private final byte[] owner;

    PageCheck(UUID queue, long number) {
      owner = owner(queue, number);
    }

    private int of(ByteBuffer page) {
      crc.reset();
      crc.update(owner);
      crc.update(page.array(), 0, CHECK_AT);
      return (int) crc.getValue();
    }

    void seal(ByteBuffer page, int number, int entries) {
      page.putInt(PAGE_AT, number).putInt(PAGE_AT + 4, entries).putInt(PAGE_AT + 8, 0);
      page.putInt(CHECK_AT, of(page));
    }

    void prove(ByteBuffer page, int number, int entries) throws RunDamage {
      if (page.getInt(CHECK_AT) != of(page)
          || page.getInt(PAGE_AT) != number
          || page.getInt(PAGE_AT + 4) != entries) {
        throw new RunDamage("page " + number + " is not what was written");
      }
    }
  }
}
