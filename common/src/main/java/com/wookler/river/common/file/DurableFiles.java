package com.wookler.river.common.file;

import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Small files that are there whole or not at all, and directories and files that only their owner
 * can read.
 */
public final class DurableFiles {
  /** Ending of files under construction; a recovery removes what still has it. */
  public static final String TEMPORARY = ".tmp";

  /** Ending of what was quarantined because it is damaged. */
  public static final String DAMAGED = ".damaged";

  private static final Pattern QUARANTINED = Pattern.compile("\\.damaged(-\\d+)?$");

  private static final boolean POSIX =
      FileSystems.getDefault().supportedFileAttributeViews().contains("posix");

  /**
   * As large as what the system forces at once: Linux keeps what one write fills in the page cache
   * as one piece, and later writes all of it to the device for a byte that changes through a
   * mapping. Smaller ones make each first touch of a page slower.
   */
  private static final ByteBuffer ZEROS = ByteBuffer.allocateDirect(64 << 10).asReadOnlyBuffer();

  private DurableFiles() {}

  /**
   * Creates a directory and its parents, each new one with mode 0700 where the file system knows
   * modes. The entries of new ones are forced, so that they survive a power loss.
   */
  public static void createDirectories(Path directory) throws IOException {
    if (Files.isDirectory(directory)) {
      return;
    }
    Path existing = existing(directory.toAbsolutePath());
    makeDirectories(directory);
    Path at = directory.toAbsolutePath().getParent();
    while (at != null && at.startsWith(existing)) {
      forceDirectory(at);
      at = at.getParent();
    }
  }

  /**
   * Creates a directory and its parents like {@link #createDirectories}, and forces nothing: the
   * directory that it is in is to be forced after it.
   */
  public static void makeDirectories(Path directory) throws IOException {
    if (POSIX) {
      Files.createDirectories(
          directory,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    } else {
      Files.createDirectories(directory);
    }
  }

  /** Opens a file for writing, empty, created with mode 0600 where the file system knows modes. */
  public static FileChannel create(Path file) throws IOException {
    Set<StandardOpenOption> options =
        Set.of(
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE,
            StandardOpenOption.TRUNCATE_EXISTING);
    if (POSIX) {
      return FileChannel.open(
          file,
          options,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    }
    return FileChannel.open(file, options);
  }

  /**
   * Writes zeros over a part of an existing file, so that it has space on the disk. Usable on any
   * thread: an interrupt is kept, and does not keep it from writing.
   */
  public static void zero(Path file, long from, long to) throws IOException {
    withChannel(
        file,
        out -> {
          long at = from;
          while (at < to) {
            ByteBuffer zeros = ZEROS.duplicate();
            zeros.limit((int) Math.min(to - at, zeros.capacity()));
            at += out.write(zeros, at);
          }
          return out;
        },
        StandardOpenOption.WRITE);
  }

  /**
   * Returns whether a file has at least this many bytes, one or more, by reading the last of them.
   * A question for its size has Linux, from 6.13 on, give the next change a time of its own, which
   * the force after it writes too; that takes nearly twice as long. Usable on any thread.
   */
  public static boolean reaches(Path file, long bytes) throws IOException {
    try {
      return withChannel(
          file,
          in -> in.read(ByteBuffer.allocate(1), bytes - 1) > 0, // a new one after an interrupt
          StandardOpenOption.READ);
    } catch (NoSuchFileException e) {
      throw e;
    } catch (FileSystemException e) { // such as for want of a descriptor
      return Files.size(file) >= bytes;
    }
  }

  /**
   * Copies the first bytes of a file to a new one with mode 0600, and forces nothing; on a thread
   * that is never interrupted.
   */
  public static void copy(Path from, Path to, long length) throws IOException {
    try (FileChannel in = FileChannel.open(from, StandardOpenOption.READ);
        FileChannel out = create(to)) {
      long at = 0;
      while (at < length) {
        long some = in.transferTo(at, length - at, out);
        if (some <= 0) {
          throw new EOFException(from + " ends at byte " + at + " of " + length);
        }
        at += some;
      }
    }
  }

  /**
   * Gives a file that never changes a second name, and forces nothing; where the volume allows none
   * it is copied. Returns how many bytes were copied.
   */
  public static long link(Path from, Path to) throws IOException {
    try {
      Files.createLink(to, from);
      return 0;
    } catch (NoSuchFileException | FileAlreadyExistsException e) {
      throw e;
    } catch (UnsupportedOperationException | FileSystemException e) { // as on another volume
      long length = Files.size(from);
      copy(from, to, length);
      return length;
    }
  }

  /** Returns the path if it is there, else the next above it that is; the root at last. */
  public static Path existing(Path absolute) {
    Path existing = absolute;
    while (!Files.exists(existing) && existing.getParent() != null) {
      existing = existing.getParent();
    }
    return existing;
  }

  /** Returns whether directories are on one volume; one that is not there is asked its parent. */
  public static boolean onOneVolume(Path one, Path other) throws IOException {
    return Files.getFileStore(existing(one.toAbsolutePath().normalize()))
        .equals(Files.getFileStore(existing(other.toAbsolutePath().normalize())));
  }

  /** Returns whether a file can have a second name in a directory: makes one, and removes it. */
  public static boolean canLink(Path file, Path directory) throws IOException {
    Path probe = directory.resolve("link-" + UUID.randomUUID() + TEMPORARY);
    try {
      Files.createLink(probe, file);
    } catch (NoSuchFileException | AccessDeniedException e) {
      throw e;
    } catch (UnsupportedOperationException | FileSystemException e) { // as on another volume
      return false;
    }
    Files.delete(probe);
    return true;
  }

  /** Sets mode 0600 on a file that a library made, where the file system knows modes. */
  public static void ownerOnly(Path file) {
    if (POSIX) {
      try {
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
      } catch (IOException e) {
        throw new UncheckedIOException("cannot set the mode of " + file, e);
      }
    }
  }

  /**
   * Writes a file whole: temporary file, force, rename, force the directory. After it returns the
   * file survives a power loss; before, the old one, if any, is unchanged. Usable on any thread: an
   * interrupt is kept, and does not keep it from writing.
   */
  public static void write(Path file, byte[] content) throws IOException {
    Path temporary = file.resolveSibling(file.getFileName() + TEMPORARY);
    writeNew(temporary, content);
    rename(temporary, file);
  }

  /** Writes a new file and forces it, but not its name: the directory is to be forced after it. */
  public static void writeNew(Path file, byte[] content) throws IOException {
    throughInterrupts(() -> create(file), out -> putAll(out, content));
  }

  /**
   * Writes over an existing file from its beginning, leaves it as long as the content, and forces
   * it. Takes no new space for what it held before.
   */
  public static void overwrite(Path file, byte[] content) throws IOException {
    withChannel(
        file, out -> putAll(out.truncate(content.length), content), StandardOpenOption.WRITE);
  }

  private static FileChannel putAll(FileChannel out, byte[] content) throws IOException {
    ByteBuffer buffer = ByteBuffer.wrap(content);
    while (buffer.hasRemaining()) {
      out.write(buffer);
    }
    out.force(true);
    return out;
  }

  /** Writes all of these bytes from an offset on: one call may write some, as on a full disk. */
  public static void put(FileChannel channel, ByteBuffer bytes, long offset) throws IOException {
    long to = offset;
    while (bytes.hasRemaining()) {
      to += channel.write(bytes, to);
    }
  }

  /** Makes an empty file, replacing what was there, and forces nothing. */
  public static void createFile(Path file) throws IOException {
    Files.deleteIfExists(file);
    create(file).close();
  }

  /** Renames within one directory, replacing, and forces nothing. */
  public static void move(Path from, Path to) throws IOException {
    Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  /** Renames within one directory, replacing, and forces the directory. */
  public static void rename(Path from, Path to) throws IOException {
    move(from, to);
    Path parent = to.toAbsolutePath().getParent();
    if (parent != null) {
      forceDirectory(parent);
    }
  }

  /** Renames a damaged file or directory to {@link #quarantineOf} of it, at once; returns that. */
  public static Path quarantine(Path file) throws IOException {
    Path aside = quarantineOf(file);
    rename(file, aside);
    return aside;
  }

  /** Returns whether this is the name of a file or directory that was quarantined. */
  public static boolean isQuarantined(String name) {
    return !unquarantined(name).equals(name);
  }

  /** Returns the name that a file had before it was quarantined, or has if it was not. */
  public static String unquarantined(String name) {
    return QUARANTINED.matcher(name).replaceFirst("");
  }

  /** Returns a name beside a damaged file that no file has yet. */
  public static Path quarantineOf(Path file) {
    Path aside = file.resolveSibling(file.getFileName() + DAMAGED);
    for (int i = 2; Files.exists(aside, LinkOption.NOFOLLOW_LINKS); i++) {
      aside = file.resolveSibling(file.getFileName() + DAMAGED + "-" + i);
    }
    return aside;
  }

  /**
   * Forces a directory's entries to the device; nothing where the platform cannot open a directory.
   * Usable on any thread: an interrupt is kept, and does not keep it from forcing.
   */
  public static void forceDirectory(Path directory) throws IOException {
    if (!POSIX) {
      return;
    }
    withChannel(directory, channel -> forced(channel, true), StandardOpenOption.READ);
  }

  /** Forces a file's content, on any thread: an interrupt is kept. */
  public static void force(Path file) throws IOException {
    withChannel(file, channel -> forced(channel, false), StandardOpenOption.WRITE);
  }

  private static FileChannel forced(FileChannel channel, boolean metadata) throws IOException {
    channel.force(metadata);
    return channel;
  }

  /** Cuts a file, and forces nothing, on any thread: an interrupt is kept. */
  public static void truncate(Path file, long size) throws IOException {
    withChannel(file, channel -> channel.truncate(size), StandardOpenOption.WRITE);
  }

  /** A task on a channel that is open for it alone, from its beginning at each attempt. */
  @FunctionalInterface
  public interface ChannelTask<T extends @Nullable Object> {
    T run(FileChannel channel) throws IOException;
  }

  /**
   * Runs a task on a newly opened channel, and again as often as an interrupt closes it; the
   * interrupt is kept.
   */
  public static <T extends @Nullable Object> T withChannel(
      Path path, ChannelTask<T> task, StandardOpenOption... options) throws IOException {
    return throughInterrupts(() -> FileChannel.open(path, options), task);
  }

  @FunctionalInterface
  private interface Opening {
    FileChannel open() throws IOException;
  }

  private static <T extends @Nullable Object> T throughInterrupts(
      Opening opening, ChannelTask<T> task) throws IOException {
    boolean interrupted = false;
    try {
      while (true) {
        interrupted |= Thread.interrupted(); // it would close the channel
        try (FileChannel channel = opening.open()) {
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
