package com.wookler.river.core;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;

/** A copy of a directory in use, as a kill at this moment would leave it: every store is in it. */
final class KilledCopy {
  private static final int CHUNK_BYTES = 64 << 10;
  private static final ByteBuffer EMPTY = ByteBuffer.allocate(CHUNK_BYTES);

  private KilledCopy() {}

  /**
   * Copies, but for lock files.
   *
   * @return false where files were written meanwhile, so that the copy is of no one moment
   */
  static boolean of(Path from, Path to) throws IOException {
    try {
      List<Path> before = files(from);
      for (Path file : before) {
        Path copy = to.resolve(from.relativize(file).toString());
        if (Files.isDirectory(file)) {
          Files.createDirectories(copy);
        } else {
          copy(file, copy);
        }
      }
      for (Path file : before) {
        if (Files.isRegularFile(file)
            && Files.mismatch(file, to.resolve(from.relativize(file).toString())) >= 0) {
          return false;
        }
      }
      return files(from).equals(before);
    } catch (NoSuchFileException e) {
      return false;
    } catch (UncheckedIOException e) {
      if (e.getCause() instanceof NoSuchFileException) {
        return false;
      }
      throw e;
    }
  }

  /** Leaves out what is empty: a block is given its space long before it is written. */
  private static void copy(Path from, Path to) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(CHUNK_BYTES);
    try (FileChannel in = FileChannel.open(from, StandardOpenOption.READ);
        FileChannel out =
            FileChannel.open(
                to,
                StandardOpenOption.CREATE_NEW,
                StandardOpenOption.WRITE,
                StandardOpenOption.SPARSE)) {
      long at = 0;
      while (in.read(bytes.clear(), at) > 0) {
        int length = bytes.flip().limit();
        if (bytes.mismatch(EMPTY.slice(0, length)) >= 0) {
          writeAll(out, bytes, at);
        }
        at += length;
      }
      if (at > out.size()) {
        writeAll(out, ByteBuffer.allocate(1), at - 1);
      }
    }
  }

  private static void writeAll(FileChannel out, ByteBuffer bytes, long at) throws IOException {
    long start = at - bytes.position();
    while (bytes.hasRemaining()) {
      out.write(bytes, start + bytes.position());
    }
  }

  private static List<Path> files(Path from) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      return files.filter(file -> !file.endsWith("LOCK")).sorted().toList();
    }
  }
}
