package com.wookler.river.test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Directories of tests: made, copied as a kill would leave them, and deleted. */
final class TestFiles {
  /** The system property that says where directories of tests are made. */
  static final String BASE = "river.test.directory";

  private static final Path MEMORY = Path.of("/dev/shm"); // 64 MB in many containers
  private static final long MEMORY_BYTES = 512 << 20;
  private static final int CHUNK_BYTES = 64 << 10;
  private static final long EMPTY_BYTES = 8 << 20; // a file is as long as what is mapped of it
  private static final ByteBuffer EMPTY = ByteBuffer.allocate(CHUNK_BYTES).asReadOnlyBuffer();

  private TestFiles() {}

  /**
   * Makes a directory: in {@code base}, where the system property says, in memory if that has
   * space, or where Java has temporary files.
   */
  static Path create(@Nullable Path base) {
    try {
      String given = System.getProperty(BASE);
      if (base != null || given != null) {
        Path in = base != null ? base : Path.of(given);
        return Files.createTempDirectory(Files.createDirectories(in), "river-test");
      }
      boolean hasMemory =
          Files.isWritable(MEMORY) && MEMORY.toFile().getUsableSpace() >= MEMORY_BYTES;
      return hasMemory
          ? Files.createTempDirectory(MEMORY, "river-test")
          : Files.createTempDirectory("river-test");
    } catch (IOException e) {
      throw new UncheckedIOException("cannot make a directory for a test", e);
    }
  }

  /**
   * Copies a directory in use, to which nothing is written meanwhile, as a kill would leave it:
   * what was stored through mappings is in the copy, forced or not. Lock files are left out.
   */
  static void copy(Path from, Path to) {
    try (Stream<Path> walk = Files.walk(from)) {
      List<Path> all = walk.filter(file -> !file.endsWith("LOCK")).sorted().toList();
      ByteBuffer bytes = ByteBuffer.allocate(CHUNK_BYTES);
      for (Path file : all) {
        Path target = to.resolve(from.relativize(file).toString());
        if (Files.isDirectory(file)) {
          Files.createDirectories(target);
        } else {
          copyFile(file, target, bytes);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot copy " + from, e);
    }
  }

  private static void copyFile(Path from, Path to, ByteBuffer bytes) throws IOException {
    try (FileChannel in = FileChannel.open(from, StandardOpenOption.READ);
        FileChannel out =
            FileChannel.open(to, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      long used = 0;
      for (long at = 0; at - used < EMPTY_BYTES && in.read(bytes.clear(), at) > 0; ) {
        int length = bytes.flip().limit();
        if (bytes.mismatch(EMPTY.slice(0, length)) >= 0) { // else a hole is left
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

  private static void writeAll(FileChannel out, ByteBuffer bytes, long at) throws IOException {
    long start = at - bytes.position();
    while (bytes.hasRemaining()) {
      out.write(bytes, start + bytes.position());
    }
  }

  static void delete(Path directory) {
    if (!Files.exists(directory)) {
      return;
    }
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path file : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot delete " + directory, e);
    }
  }
}
