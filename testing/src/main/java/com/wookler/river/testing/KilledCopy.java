package com.wookler.river.testing;

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
public final class KilledCopy {
  private static final int CHUNK_BYTES = 64 << 10;
  private static final long EMPTY_BYTES = 8 << 20;
  private static final ByteBuffer EMPTY = ByteBuffer.allocate(CHUNK_BYTES);

  private KilledCopy() {}

  /** Copies, as often as files are written meanwhile, until the copy is of one moment. */
  public static void whole(Path from, Path to) throws IOException {
    while (!of(from, to)) {
      DirectoryCopy.delete(to);
    }
  }

  /**
   * Copies, but for lock files.
   *
   * @return false where files were written meanwhile, so that the copy is of no one moment
   */
  public static boolean of(Path from, Path to) throws IOException {
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
            && !isSame(file, to.resolve(from.relativize(file).toString()))) {
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

  /**
   * Copies a file up to where it is empty for longer than any block is here: a block's file is as
   * long as what is mapped of it, which is never written.
   */
  private static void copy(Path from, Path to) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(CHUNK_BYTES);
    try (FileChannel in = FileChannel.open(from, StandardOpenOption.READ);
        FileChannel out =
            FileChannel.open(to, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      long used = 0;
      for (long at = 0; at - used < EMPTY_BYTES && in.read(bytes.clear(), at) > 0; ) {
        int length = bytes.flip().limit();
        if (bytes.mismatch(EMPTY.slice(0, length)) >= 0) {
          writeAll(out, bytes, at);
          used = at + length;
        }
        at += length;
      }
      if (in.size() > out.size()) {
        writeAll(out, ByteBuffer.allocate(1), in.size() - 1);
      }
    }
  }

  private static boolean isSame(Path one, Path other) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(CHUNK_BYTES);
    ByteBuffer others = ByteBuffer.allocate(CHUNK_BYTES);
    try (FileChannel in = FileChannel.open(one, StandardOpenOption.READ);
        FileChannel copy = FileChannel.open(other, StandardOpenOption.READ)) {
      boolean same = in.size() == copy.size();
      long used = 0;
      for (long at = 0; same && at - used < EMPTY_BYTES && at < in.size(); at += CHUNK_BYTES) {
        readAll(in, bytes.clear(), at);
        readAll(copy, others.clear(), at);
        same = bytes.flip().equals(others.flip());
        if (bytes.mismatch(EMPTY.slice(0, bytes.limit())) >= 0) {
          used = at + CHUNK_BYTES;
        }
      }
      return same;
    }
  }

  private static void readAll(FileChannel in, ByteBuffer bytes, long at) throws IOException {
    int read = 1;
    while (bytes.hasRemaining() && read > 0) {
      read = in.read(bytes, at + bytes.position());
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
