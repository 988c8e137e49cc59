package com.wookler.river.common.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * Finds the last byte of a file that is not 0. After a power loss megabytes of zeros follow a
 * block's content, as the store makes a file as long as its mapping: they are read past the page
 * cache where that can be.
 */
public final class LastUsedByte {
  private static final int STEP_BYTES = 64 << 10;
  private static final ByteBuffer ZEROS = ByteBuffer.allocateDirect(STEP_BYTES).asReadOnlyBuffer();
  private static final @Nullable OpenOption DIRECT = directOption();

  private final FileChannel channel;
  private final ByteBuffer bytes;
  private final int alignment;

  private LastUsedByte(FileChannel channel, ByteBuffer bytes, int alignment) {
    this.channel = channel;
    this.bytes = bytes;
    this.alignment = alignment;
  }

  /** Returns the offset after the last byte that is not 0, {@code from} at least. */
  public static long of(Path file, long from) throws IOException {
    if (DIRECT == null) {
      return buffered(file, from);
    }
    try {
      return direct(file, from, DIRECT);
    } catch (IOException | UnsupportedOperationException e) { // not there, or not so
      return buffered(file, from);
    }
  }

  /** Finds the JDK's own option by its name: other use of it is a warning from Java 25 on. */
  private static @Nullable OpenOption directOption() {
    try {
      for (Object option :
          Class.forName("com.sun.nio.file.ExtendedOpenOption").getEnumConstants()) {
        if (option instanceof OpenOption direct && option.toString().equals("DIRECT")) {
          return direct;
        }
      }
      return null;
    } catch (ClassNotFoundException e) {
      return null; // a JDK without it
    }
  }

  private static long direct(Path file, long from, OpenOption past) throws IOException {
    int alignment = Math.toIntExact(Files.getFileStore(file).getBlockSize());
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, past)) {
      ByteBuffer aligned =
          ByteBuffer.allocateDirect(STEP_BYTES + alignment).alignedSlice(alignment);
      return new LastUsedByte(channel, aligned.limit(STEP_BYTES).slice(), alignment).find(from);
    }
  }

  private static long buffered(Path file, long from) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      return new LastUsedByte(channel, ByteBuffer.allocateDirect(STEP_BYTES), 1).find(from);
    } catch (IOException e) {
      throw ReadFailedException.of(file, e);
    }
  }

  private long find(long from) throws IOException {
    bytes.order(ByteOrder.LITTLE_ENDIAN);
    long used = from;
    long at = from - from % alignment;
    int read;
    do {
      bytes.clear();
      read = channel.read(bytes, at);
      if (read > 0 && !areZeros(read)) {
        used = Math.max(used, at + used(read));
      }
      at += Math.max(0, read);
    } while (read > 0 && at % alignment == 0); // else the file ends there
    return used;
  }

  private boolean areZeros(int length) {
    return bytes.flip().mismatch(ZEROS.slice(0, length)) < 0;
  }

  private int used(int length) {
    int end = length;
    while (end >= Long.BYTES && bytes.getLong(end - Long.BYTES) == 0) {
      end -= Long.BYTES;
    }
    while (bytes.get(end - 1) == 0) {
      end--;
    }
    return end;
  }
}
