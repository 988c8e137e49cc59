package com.wookler.river.common.ids;

import com.wookler.river.common.file.Sealed;
import com.wookler.river.common.file.Series;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * The header of a file of ids, of kind {@code IDS}, version 1. It names the files that existed when
 * the file was begun. Those do not change any more, so that one that is missing, emptied, cut or
 * exchanged is noticed. Its payload after the number of the file, little-endian:
 *
 * <pre>
 *       0     8  publish time of the first message in the file, microseconds since 1970
 *       8   24n  each file before it, in order: its number (8), its length (8), its count of ids
 *                (4), CRC32C of its records (4)
 * </pre>
 */
record IdHeader(long number, long micros, List<Entry> before) {
  static final Series FILES =
      new Series("ids-", new Sealed("IDS", 1), IdRecord.FIXED_BYTES, IdRecord.MOST, IdRecord.MOST);

  static final int MOST_BYTES = 64 << 10; // the most bytes of a header
  private static final int ENTRY_BYTES = 24;
  // the most files that are named: each restart that stores an id after damage begins one
  private static final int MOST = 2_000;

  /** A file that does not change any more. */
  record Entry(long number, long length, int ids, int digest) {}

  IdHeader {
    before = List.copyOf(before.subList(Math.max(0, before.size() - MOST), before.size()));
  }

  byte[] encode(UUID queue) {
    ByteBuffer out = Sealed.payload(2 * Long.BYTES + ENTRY_BYTES * before.size());
    out.putLong(number).putLong(micros);
    for (Entry entry : before) {
      out.putLong(entry.number).putLong(entry.length).putInt(entry.ids).putInt(entry.digest);
    }
    return FILES.form().encode(queue, out);
  }

  static IdHeader of(long number, ByteBuffer in) {
    long micros = in.getLong();
    List<Entry> before = new ArrayList<>();
    while (in.hasRemaining()) {
      before.add(new Entry(in.getLong(), in.getLong(), in.getInt(), in.getInt()));
    }
    return new IdHeader(number, micros, before);
  }
}
