package com.wookler.river.core.log.files;

import com.wookler.river.common.file.Checksum;
import com.wookler.river.core.log.chronicle.ChronicleHeader;
import com.wookler.river.core.log.chronicle.DocumentHeader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Optional;
import java.util.UUID;

/**
 * The first document of a block, which readers don't see. It keeps the sequence when every older
 * block is deleted.
 *
 * <pre>
 *  offset  size  what
 *       0     8  "RIVBLOC1"
 *       8    16  UUID of the queue
 *      24     4  block number
 *      28     8  first sequence
 *      36     8  publish time of the last message before this block, microseconds since 1970
 *      44     4  CRC32C of bytes 0..43
 * </pre>
 */
public record BlockStart(UUID queue, int block, long firstSequence, long lastMicros) {
  public static final int BYTES = 48;

  private static final int OFFSET = ChronicleHeader.BYTES + DocumentHeader.BYTES;
  private static final int SEARCHED_BYTES = 256 << 10; // it follows those
  private static final byte[] MAGIC = "RIVBLOC1".getBytes(StandardCharsets.US_ASCII);

  public byte[] encode() {
    ByteBuffer out = ByteBuffer.allocate(BYTES).order(ByteOrder.LITTLE_ENDIAN);
    out.put(MAGIC).putLong(queue.getMostSignificantBits()).putLong(queue.getLeastSignificantBits());
    out.putInt(block).putLong(firstSequence).putLong(lastMicros);
    out.putInt(Checksum.of(out.array(), 0, BYTES - 4));
    return out.array();
  }

  /** Returns the block start in these bytes, empty where they are another kind of document. */
  static Optional<BlockStart> decode(byte[] bytes, int length) {
    if (length < BYTES) {
      return Optional.empty();
    }
    for (int i = 0; i < MAGIC.length; i++) {
      if (bytes[i] != MAGIC[i]) {
        return Optional.empty();
      }
    }
    ByteBuffer in = ByteBuffer.wrap(bytes, 0, BYTES).order(ByteOrder.LITTLE_ENDIAN);
    if (in.getInt(BYTES - 4) != Checksum.of(bytes, 0, BYTES - 4)) {
      return Optional.empty();
    }
    in.position(MAGIC.length);
    UUID queue = new UUID(in.getLong(), in.getLong());
    return Optional.of(new BlockStart(queue, in.getInt(), in.getLong(), in.getLong()));
  }

  /** Returns the block start in a file; empty if it has none, or none that can be read. */
  public static Optional<BlockStart> read(Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      return read(channel);
    }
  }

  /** Returns the block start in a file, by one small read where it is in its place. */
  public static Optional<BlockStart> read(FileChannel channel) throws IOException {
    byte[] inPlace = bytes(channel, OFFSET, BYTES);
    Optional<BlockStart> start = decode(inPlace, inPlace.length);
    return start.isPresent() ? start : find(bytes(channel, 0, SEARCHED_BYTES));
  }

  private static byte[] bytes(FileChannel channel, long offset, int length) throws IOException {
    ByteBuffer read = ChronicleHeader.read(channel, offset, length);
    byte[] bytes = new byte[read.remaining()];
    read.get(bytes);
    return bytes;
  }

  /** Returns the block start among these first bytes of a block's file. */
  private static Optional<BlockStart> find(byte[] bytes) {
    for (int at = 0; at + BYTES <= bytes.length; at += 4) {
      if (bytes[at] == MAGIC[0] && bytes[at + 1] == MAGIC[1]) {
        Optional<BlockStart> found = decode(Arrays.copyOfRange(bytes, at, at + BYTES), BYTES);
        if (found.isPresent()) {
          return found;
        }
      }
    }
    return Optional.empty();
  }
}
