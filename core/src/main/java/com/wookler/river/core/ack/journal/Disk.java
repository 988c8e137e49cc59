package com.wookler.river.core.ack.journal;

import com.wookler.river.core.log.DurableFiles;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/**
 * What the journal does to the file system beyond {@link DurableFiles}. Files are made with mode
 * 0600 where the file system knows modes. Usable on any thread: a channel that an interrupt has
 * closed is opened again, and the interrupt kept.
 */
final class Disk {
  private Disk() {}

  /** Something to do with a channel of its own. */
  @FunctionalInterface
  interface ChannelTask<T> {
    T run(FileChannel channel) throws IOException;
  }

  /** Makes an empty file, replacing what was there. */
  static void createFile(Path file) throws IOException {
    Files.deleteIfExists(file);
    DurableFiles.create(file).close();
  }

  /**
   * Writes over an existing file from its beginning, leaves it as long as the content, and forces
   * it. Takes no new space for what it held before.
   */
  static void overwrite(Path file, byte[] content) throws IOException {
    try (RandomAccessFile out = new RandomAccessFile(file.toFile(), "rw")) {
      out.write(content);
      out.setLength(content.length);
      out.getFD().sync();
    }
  }

  /**
   * Fills an existing file with zeros up to this size, by ordinary writes, so that they take real
   * space.
   */
  static void zero(Path file, int size) throws IOException {
    try (RandomAccessFile out = new RandomAccessFile(file.toFile(), "rw")) {
      out.write(new byte[size]);
      out.setLength(size);
    }
  }

  static void rename(Path from, Path to) throws IOException {
    Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  /** Runs a task on a newly opened channel, and again while interrupts close it. */
  static <T> T withChannel(Path path, ChannelTask<T> task, StandardOpenOption... options)
      throws IOException {
    boolean interrupted = false;
    try {
      while (true) {
        interrupted |= Thread.interrupted();
        try (FileChannel channel = FileChannel.open(path, options)) {
          return task.run(channel);
        } catch (ClosedByInterruptException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
