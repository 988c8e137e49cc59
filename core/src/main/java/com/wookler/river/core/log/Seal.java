package com.wookler.river.core.log;

import com.wookler.river.core.file.Checksum;
import com.wookler.river.core.message.DamagedMessageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.UUID;

/**
 * What a closed block holds, kept beside it as {@code b00000042.seal}.
 *
 * <p>Numbers are little-endian:
 *
 * <pre>
 *  offset  size  what
 *       0     8  "RIVSEAL1"
 *       8    16  UUID of the queue
 *      24     4  block number
 *      28     4  how many of the messages are lost: a power loss came before they were forced
 *      32     8  first sequence
 *      40     8  messages
 *      48     8  documents
 *      56     8  bytes of the block that are in use
 *      64     8  publish time of the first message, microseconds since 1970
 *      72     8  publish time of the last message
 *      80     8  digest over the checksums of all documents in order
 *      88     4  CRC32C of bytes 0..87
 * </pre>
 *
 * @param queue identity of the queue
 * @param block number of the block
 * @param firstSequence sequence of its first message
 * @param messages how many sequences it holds, those that are lost included
 * @param documents in how many documents
 * @param bytes of its file that are in use
 * @param firstMicros publish time of its first message
 * @param lastMicros publish time of its last message
 * @param digest over all its checksums
 * @param lost how many of the messages are lost
 */
public record Seal(
    UUID queue,
    int block,
    long firstSequence,
    long messages,
    long documents,
    long bytes,
    long firstMicros,
    long lastMicros,
    long digest,
    int lost) {

  /** Length of the encoded form. */
  public static final int BYTES = 92;

  private static final byte[] MAGIC = "RIVSEAL1".getBytes(StandardCharsets.US_ASCII);

  /** Of a block that has lost nothing. */
  public Seal(
      UUID queue,
      int block,
      long firstSequence,
      long messages,
      long documents,
      long bytes,
      long firstMicros,
      long lastMicros,
      long digest) {
    this(
        queue,
        block,
        firstSequence,
        messages,
        documents,
        bytes,
        firstMicros,
        lastMicros,
        digest,
        0);
  }

  /** Returns the sequence after its last message. */
  public long endSequence() {
    return firstSequence + messages;
  }

  /** Returns the form on disk. */
  public byte[] encode() {
    ByteBuffer out = ByteBuffer.allocate(BYTES).order(ByteOrder.LITTLE_ENDIAN);
    out.put(MAGIC).putLong(queue.getMostSignificantBits()).putLong(queue.getLeastSignificantBits());
    out.putInt(block).putInt(lost).putLong(firstSequence).putLong(messages).putLong(documents);
    out.putLong(bytes).putLong(firstMicros).putLong(lastMicros).putLong(digest);
    out.putInt(Checksum.ofAllBefore(out.array()));
    return out.array();
  }

  /**
   * Reads what {@link #encode} wrote at the start of these bytes.
   *
   * @throws DamagedMessageException they are not a whole seal
   */
  public static Seal decode(byte[] bytes) {
    if (bytes.length < BYTES) {
      throw new DamagedMessageException("damaged: a seal of " + bytes.length + " bytes");
    }
    ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    byte[] magic = new byte[MAGIC.length];
    in.get(magic);
    if (!Arrays.equals(magic, MAGIC) || in.getInt(BYTES - 4) != Checksum.of(bytes, 0, BYTES - 4)) {
      throw new DamagedMessageException("damaged: the checksum of a seal is wrong");
    }
    UUID queue = new UUID(in.getLong(), in.getLong());
    int block = in.getInt();
    int lost = in.getInt();
    return new Seal(
        queue,
        block,
        in.getLong(),
        in.getLong(),
        in.getLong(),
        in.getLong(),
        in.getLong(),
        in.getLong(),
        in.getLong(),
        lost);
  }

  static Seal read(Path file) throws IOException {
    return decode(Files.readAllBytes(file));
  }
}
