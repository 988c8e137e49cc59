package com.wookler.river.common.keys;

import com.wookler.river.common.file.Sealed;
import com.wookler.river.common.file.Series;
import java.nio.ByteBuffer;
import java.util.UUID;

/**
 * The header of a run, of kind {@code KEY}, version 1, and how its file of a {@link Series} is
 * arranged: pages of 4,096 bytes, the first one for the header. Numbers are little-endian. The
 * payload of the header after the number of the run:
 *
 * <pre>
 *       0     8  the first sequence that the run covers
 *       8     8  the sequence after the last that it covers
 *      16     8  count of entries
 *      24     …  zeros
 * </pre>
 *
 * <p>Each further page is a record with up to 255 entries, in the order of their hashes, through
 * all pages. Its content:
 *
 * <pre>
 *       0     4  number of the page, from 0
 *       4     4  count of its entries; 255 but in the last page
 *       8    16  each entry: hash of the key (8), sequence of its last message (8)
 *       …     …  zeros
 * </pre>
 *
 * @param number higher than that of each run that was there when it was made
 */
record RunHeader(UUID queue, long number, long from, long end, long count) {
  static final int PAGE_BYTES = 4096;
  static final int PAGE_ENTRIES = 255;

  private static final int ENTRY_BYTES = 16;

  private static final int CONTENT_BYTES = PAGE_BYTES - Series.PREFIX_BYTES;

  static final Series FILES =
      new Series("keys-", new Sealed("KEY", 1), CONTENT_BYTES, CONTENT_BYTES, CONTENT_BYTES);

  private static final int NUMBER_AT = Series.PREFIX_BYTES;

  /** Returns the offset of an entry in a page. */
  static int entryAt(int entry) {
    return NUMBER_AT + 8 + entry * ENTRY_BYTES;
  }

  int pages() {
    return (int) ((count + PAGE_ENTRIES - 1) / PAGE_ENTRIES);
  }

  long bytes() {
    return PAGE_BYTES * (1L + pages());
  }

  int entriesOf(int page) {
    return (int) Math.min(PAGE_ENTRIES, count - (long) page * PAGE_ENTRIES);
  }

  byte[] encode() {
    ByteBuffer payload = Sealed.payload(PAGE_BYTES - Sealed.sizeOf(0));
    payload.putLong(number).putLong(from).putLong(end).putLong(count);
    return FILES.form().encode(queue, payload.position(payload.limit()));
  }

  static RunHeader of(UUID queue, long number, ByteBuffer in) {
    return new RunHeader(queue, number, in.getLong(), in.getLong(), in.getLong());
  }

  /** Writes what is not an entry into a page. */
  static void seal(ByteBuffer page, int number, int entries, int seed) {
    page.putInt(NUMBER_AT, number).putInt(NUMBER_AT + 4, entries);
    FILES.seal(page, 0, CONTENT_BYTES, seed);
  }

  /** Returns whether a page is the one with this number. */
  boolean isPage(ByteBuffer page, int at, int seed) {
    return FILES.isValid(page, 0, seed)
        && page.getInt(NUMBER_AT) == at
        && page.getInt(NUMBER_AT + 4) == entriesOf(at);
  }
}
