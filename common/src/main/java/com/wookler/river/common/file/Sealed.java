package com.wookler.river.common.file;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.errors.DamagedException;
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
 * Writes and reads a small file that is there whole or not at all, or a part of a file, whose
 * checksum covers all of it. Numbers are little-endian:
 *
 * <pre>
 *  offset  size  what
 *       0     8  "RIVER" and three letters for the kind of file
 *       8     4  version of this kind
 *      12    16  owner: the UUID of the queue, or one derived for a subscriber
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
    DurableFiles.write(file, encode(owner, payload));
  }

  /** Returns the bytes of a file, with all that was put into the payload. */
  public byte[] encode(UUID owner, ByteBuffer payload) {
    payload.flip();
    byte[] bytes = new byte[sizeOf(payload.limit())];
    ByteBuffer out = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    out.put(magic).putInt(version);
    out.putLong(owner.getMostSignificantBits()).putLong(owner.getLeastSignificantBits());
    out.putInt(payload.limit()).put(payload);
    out.putInt(Checksum.ofAllBefore(bytes));
    return bytes;
  }

  /** Returns how many bytes there are with a payload of this length. */
  public static int sizeOf(int payload) {
    return HEADER_BYTES + payload + Integer.BYTES;
  }

  /**
   * Returns the payload of a file.
   *
   * @throws DamagedException it is damaged, or belongs to another owner
   * @throws ConfigurationException another version of River wrote it
   */
  public ByteBuffer read(Path file, UUID owner) throws IOException {
    if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
      throw new DamagedException("damaged: it is not a file");
    }
    byte[] bytes = ReadFailedException.all(file);
    return only(decode(file, bytes, 0), bytes, owner);
  }

  /**
   * Returns the payload of a file whose bytes these are.
   *
   * @throws DamagedException they are damaged, or belong to another owner
   * @throws ConfigurationException another version of River wrote them
   */
  public ByteBuffer read(Path file, byte[] bytes, UUID owner) {
    return only(decode(file, bytes, 0), bytes, owner);
  }

  private static ByteBuffer only(Part part, byte[] bytes, UUID owner) {
    if (part.end() != bytes.length) {
      throw new DamagedException("damaged: more follows than its length");
    }
    if (!part.owner().equals(owner)) {
      throw new DamagedException("damaged: it belongs to another queue");
    }
    return part.payload();
  }

  /**
   * A part of a file.
   *
   * @param end where it ends in the file
   */
  public record Part(UUID owner, ByteBuffer payload, int end) {}

  /**
   * Returns the part of a file that starts at an offset of its bytes.
   *
   * @throws DamagedException it is damaged
   * @throws ConfigurationException another version of River wrote it
   */
  public Part decode(Path file, byte[] bytes, int from) {
    int length = bytes.length - from - sizeOf(0);
    if (length >= 0) {
      ByteBuffer in =
          ByteBuffer.wrap(bytes, from, bytes.length - from).slice().order(ByteOrder.LITTLE_ENDIAN);
      int payload = in.getInt(HEADER_BYTES - Integer.BYTES);
      if (payload >= 0 && payload <= length && isIntact(in, bytes, from, payload)) {
        if (in.getInt(VERSION_AT) != version) {
          throw otherFormat(file, in.getInt(VERSION_AT), version);
        }
        return new Part(
            new UUID(in.getLong(OWNER_AT), in.getLong(OWNER_AT + 8)),
            in.slice(HEADER_BYTES, payload).order(ByteOrder.LITTLE_ENDIAN),
            from + sizeOf(payload));
      }
    }
    throw new DamagedException("damaged: its checksum is wrong");
  }

  private boolean isIntact(ByteBuffer in, byte[] bytes, int from, int payload) {
    int end = HEADER_BYTES + payload;
    return in.slice(0, magic.length).equals(ByteBuffer.wrap(magic))
        && in.getInt(end) == Checksum.of(bytes, from, end);
  }

  /**
   * Returns the payload of a file; quarantines and reports a damaged one.
   *
   * @param report called with what is wrong and the name under which the file is kept
   * @return empty if there is no file, or it was damaged
   * @throws ConfigurationException another version of River wrote it
   */
  public Optional<ByteBuffer> readOrQuarantine(Path file, UUID owner, Consumer<String> report)
      throws IOException {
    if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
      return Optional.empty();
    }
    try {
      return Optional.of(read(file, owner));
    } catch (DamagedException e) {
      report.accept(e.getMessage() + "; kept as " + DurableFiles.quarantine(file));
      return Optional.empty();
    }
  }

  /** Returns the refusal of an intact file whose format this River does not read. */
  public static ConfigurationException otherFormat(Path file, int found, int known) {
    return new ConfigurationException(
        file + " has format version " + found + "; this River reads " + known);
  }
}
