package com.wookler.river.core.log.chronicle;

import java.util.function.LongSupplier;
import net.openhft.chronicle.bytes.MappedBytesStore;
import net.openhft.chronicle.core.io.ReferenceOwner;

/** Pages of a block that stay mapped until they are closed. */
public final class MappedPages implements AutoCloseable {
  private static final long PAGE_BYTES = 4 << 10;
  private static final long RUN_BYTES = 16 * PAGE_BYTES;
  private static final long APART_BYTES = 2 * RUN_BYTES;

  private final ReferenceOwner owner = ReferenceOwner.temporary("pages");
  private final MappedBytesStore mapping;
  private final long from;
  private final long to;

  MappedPages(MappedBytesStore mapping, long from, long to) {
    this.mapping = mapping;
    this.from = from;
    this.to = to;
    mapping.reserve(owner);
  }

  /**
   * Writes one word of each page back unchanged, safely beside an append; asks again and again how
   * far the appender has come: in a page that both want they would wait for each other.
   */
  public void touch(LongSupplier appended) {
    long page = from & -PAGE_BYTES;
    while (page < to) {
      page = Math.max(page, (appended.getAsLong() + APART_BYTES) & -PAGE_BYTES);
      long end = Math.min(to, page + RUN_BYTES);
      for (; page < end; page += PAGE_BYTES) {
        mapping.compareAndSwapInt(page, 0, 0);
      }
    }
  }

  @Override
  public void close() {
    mapping.release(owner);
  }
}
