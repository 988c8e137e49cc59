package com.wookler.river.core.file;

import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.message.DamagedMessageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;

/**
 * Writes and reads a small file that is there whole or not at all, and whose checksum covers all of
 * it. Numbers are little-endian:
 *
 * <pre>
 *  offset  size  what
 *       0     8  "RIVER" and three letters for the kind of file
 *       8     4  version of this kind
 *      12    16  UUID of the owner, which is the queue
 *      28     4  length n of the payload
 *      32     n  the payload
 *    32+n     4  CRC32C of all before
 * </pre>
 *
 * <p>The checksum is verified before the version is looked at, so that a damaged version digit
 * counts as damage and not as a file of a newer River.
 */
public final class Sealed {
  private static final int VERSION_AT = 8;
  private static final int OWNER_AT = 12;
  private static final int HEADER_BYTES = 32;

  private final byte[] magic;
  private final int version;

  /**
   * Creates the form of one kind of file.
   *
   * @param kind three letters
   * @param version that is written, and the only one that is read
   */
  public Sealed(String kind, int version) {
    this.magic = ("RIVER" + kind).getBytes(StandardCharsets.US_ASCII);
    this.version = version;
  }

  /** Returns a little-endian buffer for a payload of this length. */
  public static ByteBuffer payload(int length) {
    return ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Writes a file durably, with all that was put into the payload. */
  public void write(Path file, UUID owner, ByteBuffer payload) throws IOException {
    payload.flip();
    byte[] bytes = new byte[HEADER_BYTES + payload.limit() + Integer.BYTES];
    ByteBuffer out = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    out.put(magic).putInt(version);
    out.putLong(owner.getMostSignificantBits()).putLong(owner.getLeastSignificantBits());
    out.putInt(payload.limit()).put(payload);
    out.putInt(Checksum.ofAllBefore(bytes));
    DurableFiles.write(file, bytes);
  }

  /**
   * Returns the payload of a file.
   *
   * @throws DamagedMessageException it is damaged, or belongs to another owner
   * @throws RiverException another version of River wrote it
   */
  public ByteBuffer read(Path file, UUID owner) throws IOException {
    if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
      throw new DamagedMessageException("damaged: it is not a file");
    }
    byte[] bytes = ReadFailedException.all(file);
    ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    int length = bytes.length - HEADER_BYTES - Integer.BYTES;
    if (length < 0
        || !in.slice(0, magic.length).equals(ByteBuffer.wrap(magic))
        || in.getInt(bytes.length - Integer.BYTES) != Checksum.ofAllBefore(bytes)) {
      throw new DamagedMessageException("damaged: its checksum is wrong");
    }
    if (in.getInt(VERSION_AT) != version) {
      throw otherFormat(file, in.getInt(VERSION_AT), version);
    }
    if (!new UUID(in.getLong(OWNER_AT), in.getLong(OWNER_AT + 8)).equals(owner)
        || in.getInt(HEADER_BYTES - Integer.BYTES) != length) {
      throw new DamagedMessageException("damaged: it belongs to another queue");
    }
    return in.slice(HEADER_BYTES, length).order(ByteOrder.LITTLE_ENDIAN);
  }

  /**
   * Returns the payload of a file; quarantines and reports a damaged one.
   *
   * @param report called with what is wrong and the name under which the file is kept
   * @return empty if there is no file, or it was damaged
   * @throws RiverException another version of River wrote it
   */
  public Optional<ByteBuffer> readOrQuarantine(Path file, UUID owner, Consumer<String> report)
      throws IOException {
    if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
      return Optional.empty();
    }
    try {
      return Optional.of(read(file, owner));
    } catch (DamagedMessageException e) {
      report.accept(e.getMessage() + "; kept as " + DurableFiles.quarantine(file));
      return Optional.empty();
    }
  }

  /** Returns the refusal of an intact file whose format this River does not read. */
  public static RiverException otherFormat(Path file, int found, int known) {
    return new RiverException(
        file + " has format version " + found + "; this River reads " + known);
  }
}
