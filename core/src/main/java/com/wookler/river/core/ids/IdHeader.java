package com.wookler.river.core.ids;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The first record of a file of ids: the queue, the number of the file, and which files existed
 * when it was begun. Those do not change any more, so that one that is missing, emptied, cut or
 * exchanged is noticed. Numbers are little-endian; instead of an id it has
 *
 * <pre>
 *       0    16  UUID of the queue
 *      16   24n  each file before it, in order: its number (8), its length (8), its count of ids
 *                (4), CRC32C of its bytes (4)
 * </pre>
 *
 * @param queue to which the file belongs
 * @param number of the file, as in its name
 * @param micros publish time of the first message in it, microseconds since 1970
 * @param before the files that were there when it was begun, oldest first
 */
record IdHeader(UUID queue, long number, long micros, List<Entry> before) {
  private static final int UUID_BYTES = 16;
  private static final int ENTRY_BYTES = 24;

  /** The most files that are named: each restart that stores an id after damage begins one. */
  private static final int MOST = 2_000;

  /** A file that does not change any more. */
  record Entry(long number, long length, int ids, int digest) {}

  IdHeader {
    before = List.copyOf(before.subList(Math.max(0, before.size() - MOST), before.size()));
  }

  IdRecord record() {
    ByteBuffer out =
        ByteBuffer.allocate(UUID_BYTES + ENTRY_BYTES * before.size())
            .order(ByteOrder.LITTLE_ENDIAN);
    out.putLong(queue.getMostSignificantBits()).putLong(queue.getLeastSignificantBits());
    for (Entry entry : before) {
      out.putLong(entry.number).putLong(entry.length).putInt(entry.ids).putInt(entry.digest);
    }
    return new IdRecord(IdRecord.BEGIN, number, micros, out.array());
  }

  /** Returns what the first record of a file says; null if it is no header. */
  static @Nullable IdHeader of(IdRecord record) {
    ByteBuffer in = ByteBuffer.wrap(record.id()).order(ByteOrder.LITTLE_ENDIAN);
    if (record.kind() != IdRecord.BEGIN
        || in.remaining() < UUID_BYTES
        || (in.remaining() - UUID_BYTES) % ENTRY_BYTES != 0) {
      return null;
    }
    UUID queue = new UUID(in.getLong(), in.getLong());
    List<Entry> before = new ArrayList<>();
    while (in.hasRemaining()) {
      before.add(new Entry(in.getLong(), in.getLong(), in.getInt(), in.getInt()));
    }
    return new IdHeader(queue, record.sequence(), record.micros(), before);
  }
}
