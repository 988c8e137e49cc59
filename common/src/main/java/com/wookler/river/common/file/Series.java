package com.wookler.river.common.file;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.errors.DamagedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A series of numbered files with records: {@code ids-000000000001} and so on. Each begins with a
 * {@link Sealed} header, whose payload begins with the number of the file (8); so a file of another
 * queue, or one under the name of another, is noticed. Then follow records. Numbers are
 * little-endian:
 *
 * <pre>
 *  offset  size  what
 *       0     4  check: CRC32C of the header's owner (16) and number (8), xor CRC32C of the bytes
 *                from 4 up to the end of what is checked
 *       4     4  length L of the content
 *       8     L  the content, of which at most the first {@code checked} bytes are checked
 * </pre>
 *
 * @param prefix of the names
 * @param form of the header
 * @param least bytes of content
 * @param most bytes of content
 * @param checked bytes of content; what follows has a checksum of its own
 */
@SuppressWarnings("ByteBufferBackingArray") // records are on the heap
public record Series(String prefix, Sealed form, int least, int most, int checked) {
  /** Bytes of a record before its content. */
  public static final int PREFIX_BYTES = 8;

  /** Returns the path of a file. */
  public Path path(Path directory, long number) {
    return directory.resolve(String.format("%s%012d", prefix, number));
  }

  /** Returns whether this is the name of such a file. */
  public boolean isName(String name) {
    return name.startsWith(prefix) && name.substring(prefix.length()).matches("\\d{12,18}");
  }

  /** Returns the number of such a file. */
  public long number(Path file) {
    return Long.parseLong(String.valueOf(file.getFileName()).substring(prefix.length()));
  }

  /** Returns the files of a directory by their numbers; none if there is no such directory. */
  public NavigableMap<Long, Path> list(Path directory) throws IOException {
    NavigableMap<Long, Path> found = new TreeMap<>();
    for (Path file : Directories.list(directory, this::isName)) {
      found.put(number(file), file);
    }
    return found;
  }

  /** Returns the files of a directory that were quarantined as damaged. */
  public List<Path> quarantined(Path directory) throws IOException {
    return Directories.list(
        directory, name -> name.startsWith(prefix) && DurableFiles.isQuarantined(name));
  }

  /**
   * The header of a file.
   *
   * @param payload from after the number on; null if it is damaged
   * @param end offset of the first record
   * @param fault what is wrong, to follow the file's name; empty if nothing is
   */
  public record Header(@Nullable ByteBuffer payload, int end, String fault) {}

  /**
   * Returns the header of a file.
   *
   * @param bytes its beginning, at least the header
   * @throws ConfigurationException another version of River wrote it
   */
  Header header(Path file, byte[] bytes, UUID owner, long number) {
    Sealed.Part part;
    try {
      part = form.decode(file, bytes, 0);
    } catch (DamagedException e) {
      return new Header(null, 0, bytes.length == 0 ? "is empty" : "does not begin as it should");
    }
    ByteBuffer payload = part.payload();
    long found = payload.getLong();
    String fault = found == number ? "" : "is file " + found + " of its series by what it says";
    return new Header(
        payload, part.end(), part.owner().equals(owner) ? fault : "belongs to another queue");
  }

  /** Returns what the checks of the records of a file are mixed with. */
  public static int seed(UUID owner, long number) {
    ByteBuffer bytes = Sealed.payload(24);
    bytes.putLong(owner.getMostSignificantBits()).putLong(owner.getLeastSignificantBits());
    return Checksum.of(bytes.putLong(number).array(), 0, 24);
  }

  /** Writes the prefix of a record whose content is in a little-endian buffer. */
  public void seal(ByteBuffer bytes, int at, int content, int seed) {
    bytes.putInt(at + 4, content);
    bytes.putInt(at, check(bytes, at, content, seed));
  }

  private int check(ByteBuffer bytes, int at, int content, int seed) {
    int length = 4 + Math.min(checked, content);
    return seed ^ Checksum.of(bytes.array(), bytes.arrayOffset() + at + 4, length);
  }

  /** Returns how long the record at an offset claims to be; -1 if none can be. */
  int sizeAt(ByteBuffer bytes, int at) {
    int content = bytes.limit() - at < PREFIX_BYTES + least ? -1 : bytes.getInt(at + 4);
    return content < least || content > most ? -1 : PREFIX_BYTES + content;
  }

  /** Returns whether there is a record at an offset of a little-endian buffer. */
  public boolean isValid(ByteBuffer bytes, int at, int seed) {
    int content = sizeAt(bytes, at) - PREFIX_BYTES;
    return content >= 0
        && bytes.limit() - at >= PREFIX_BYTES + Math.min(checked, content)
        && bytes.getInt(at) == check(bytes, at, content, seed);
  }
}
