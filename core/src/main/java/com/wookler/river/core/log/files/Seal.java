package com.wookler.river.core.log.files;

import com.wookler.river.common.file.Sealed;
import com.wookler.river.core.message.DamagedMessageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;

/**
 * What a closed block holds, kept beside it as {@code b00000042.seal}.
 *
 * <p>It is {@link Sealed}, and the queue is its owner. The payload:
 *
 * <pre>
 *  offset  size  what
 *       0     4  block number
 *       4     4  how many of the messages are lost: a power loss came before they were forced
 *       8     8  first sequence
 *      16     8  messages, those that are lost included
 *      24     8  documents
 *      32     8  bytes of the block that are in use
 *      40     8  publish time of the first message, microseconds since 1970
 *      48     8  publish time of the last message
 *      56     8  digest over the checksums of all documents in order
 * </pre>
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

  private static final int PAYLOAD = 64;

  /** Length of the encoded form. */
  public static final int BYTES = Sealed.sizeOf(PAYLOAD);

  private static final Sealed FORM = new Sealed("SEA", 1);

  /** Returns the sequence after its last message. */
  public long endSequence() {
    return firstSequence + messages;
  }

  public byte[] encode() {
    ByteBuffer out = Sealed.payload(PAYLOAD);
    out.putInt(block).putInt(lost).putLong(firstSequence).putLong(messages).putLong(documents);
    out.putLong(bytes).putLong(firstMicros).putLong(lastMicros).putLong(digest);
    return FORM.encode(queue, out);
  }

  /** Reads the whole seal at the start of a file, or throws a DamagedMessageException. */
  public static Seal read(Path file) throws IOException {
    return decode(file, Files.readAllBytes(file));
  }

  /** Decodes the whole seal at the start of a file's bytes, or throws a DamagedMessageException. */
  public static Seal decode(Path file, byte[] bytes) {
    Sealed.Part part = FORM.decode(file, bytes, 0);
    ByteBuffer in = part.payload();
    if (in.limit() != PAYLOAD) {
      throw new DamagedMessageException("damaged: a seal of " + bytes.length + " bytes");
    }
    int block = in.getInt();
    int lost = in.getInt();
    return new Seal(
        part.owner(),
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
}
