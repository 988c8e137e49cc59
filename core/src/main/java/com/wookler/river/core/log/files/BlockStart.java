package com.wookler.river.core.log.files;

import com.wookler.river.common.file.Checksum;
import com.wookler.river.core.log.chronicle.DocumentHeader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
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

  private static final int HEAD_BYTES = DocumentHeader.BYTES + BYTES;
  private static final int DOCUMENTS_BEFORE = 8; // the store's header and the first index
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
    Optional<BlockStart> found = inPlace(file);
    if (found.isPresent()) {
      return found;
    }
    try (InputStream in = Files.newInputStream(file)) {
      return find(in.readNBytes(SEARCHED_BYTES));
    }
  }

  /** Reads the block start of a file whose first documents are whole, with a few small reads. */
  private static Optional<BlockStart> inPlace(Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      ByteBuffer head = ByteBuffer.allocate(HEAD_BYTES).order(ByteOrder.LITTLE_ENDIAN);
      long offset = 0;
      for (int i = 0; i < DOCUMENTS_BEFORE; i++) {
        int length = channel.read(head.clear(), offset);
        long size = length < DocumentHeader.BYTES ? 0 : DocumentHeader.sizeOf(head.getInt(0));
        if (size == 0) {
          break;
        }
        byte[] content = Arrays.copyOfRange(head.array(), DocumentHeader.BYTES, HEAD_BYTES);
        Optional<BlockStart> start = decode(content, length - DocumentHeader.BYTES);
        if (start.isPresent()) {
          return start;
        }
        offset += size;
      }
      return Optional.empty();
    }
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
