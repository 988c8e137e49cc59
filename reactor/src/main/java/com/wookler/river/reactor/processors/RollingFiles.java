package com.wookler.river.reactor.processors;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.errors.ConfigurationException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Numbered files of one prefix in a directory, of which the last is appended to. Thread-safe. */
final class RollingFiles implements AutoCloseable {
  private static final Pattern NUMBER = Pattern.compile("\\d{6,9}");
  private static final String SUFFIX = ".log";

  private final Path directory;
  private final String prefix;
  private final long maxBytes;

  @GuardedBy("this")
  private @Nullable FileChannel file;

  @GuardedBy("this")
  private Path path;

  @GuardedBy("this")
  private int number;

  @GuardedBy("this")
  private boolean closed;

  RollingFiles(Path directory, String prefix, long maxBytes) {
    this.directory = directory;
    this.path = directory;
    this.prefix = prefix;
    this.maxBytes = maxBytes;
    if (maxBytes < 1) {
      throw new ConfigurationException("files in " + directory + " of " + maxBytes + " bytes");
    }
    try {
      make(directory.toAbsolutePath());
      this.number = lastNumber();
    } catch (IOException e) {
      throw new ConfigurationException("cannot write files in " + directory, e);
    }
  }

  /** With the names of all that are new on the device. */
  private static void make(Path wanted) throws IOException {
    Path parent = wanted.getParent();
    if (parent == null || Files.isDirectory(wanted)) {
      return;
    }
    make(parent);
    Files.createDirectories(wanted);
    force(parent);
  }

  private int lastNumber() throws IOException {
    int last = 0;
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
      for (Path found : files) {
        String name = found.getFileName().toString();
        if (name.startsWith(prefix + "-") && name.endsWith(SUFFIX)) {
          String digits = name.substring(prefix.length() + 1, name.length() - SUFFIX.length());
          last = NUMBER.matcher(digits).matches() ? Math.max(last, Integer.parseInt(digits)) : last;
        }
      }
    }
    return last;
  }

  /** Writes all and forces it, or leaves nothing of it. */
  synchronized void append(List<byte[]> lines) throws IOException {
    FileChannel out = open();
    long start = out.position();
    try {
      for (byte[] line : lines) {
        ByteBuffer bytes = ByteBuffer.wrap(line);
        while (bytes.hasRemaining()) {
          out.write(bytes);
        }
      }
      out.force(false);
    } catch (IOException | RuntimeException | Error e) { // no memory for a buffer, perhaps
      abandon(out, start, e);
      throw e;
    }
  }

  @GuardedBy("this")
  private FileChannel open() throws IOException {
    if (closed) {
      throw new IOException("the files in " + directory + " are closed");
    }
    FileChannel present = file;
    if (present != null && present.isOpen() && present.position() < maxBytes) {
      return present;
    }
    if (present != null) {
      present.close();
    }
    FileChannel opened = null;
    while (opened == null) {
      number++;
      path = directory.resolve(String.format(Locale.ROOT, "%s-%06d%s", prefix, number, SUFFIX));
      try {
        opened = FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
      } catch (FileAlreadyExistsException e) {
        // another writer uses this prefix: take the next number
      }
    }
    try {
      force(directory);
    } catch (IOException e) { // it may be lost with the power: not this one
      opened.close();
      Files.deleteIfExists(path);
      throw e;
    }
    file = opened;
    return opened;
  }

  /** A file without its name is lost with the power. */
  private static void force(Path directory) throws IOException {
    try (FileChannel names = FileChannel.open(directory, StandardOpenOption.READ)) {
      names.force(true);
    }
  }

  /**
   * Cuts what was written of a batch, and continues in another file: this one is not trusted. A
   * file of which nothing is left goes, or a full disk would have a file for each attempt. An
   * interrupt closes the channel, so the cut needs one of its own.
   */
  @GuardedBy("this")
  private void abandon(FileChannel out, long start, Throwable cause) {
    file = null;
    boolean interrupted = Thread.interrupted();
    try (out;
        FileChannel cut = FileChannel.open(path, StandardOpenOption.WRITE)) {
      cut.truncate(start);
      if (start == 0) {
        Files.delete(path);
      }
    } catch (IOException e) {
      cause.addSuppressed(e);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @Override
  public synchronized void close() throws IOException {
    closed = true;
    if (file != null) {
      file.close();
      file = null;
    }
  }
}
