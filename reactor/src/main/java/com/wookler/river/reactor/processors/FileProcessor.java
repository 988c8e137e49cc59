package com.wookler.river.reactor.processors;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.reactor.BatchProcessor;
import com.wookler.river.reactor.ProcessResult;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Appends messages to files that rotate: {@code <prefix>-000001.log} and so on. Passes them on.
 *
 * <p>A batch is forced to the device before its messages are finished, and begins in a new file if
 * the present one has reached its size. After a crash a batch may stand there twice, or in part and
 * then whole: at least once, like the delivery. A batch that could not be written is cut off again.
 * Each processor that opens a directory begins a new file. Thread-safe: batches are written one
 * after the other.
 *
 * @param <M> type of the data
 */
public final class FileProcessor<M> implements BatchProcessor<M>, AutoCloseable {
  private static final Pattern NUMBER = Pattern.compile("\\d{6,9}");
  private static final String SUFFIX = ".log";

  private final Path directory;
  private final String prefix;
  private final long maxBytes;
  private final Function<? super Delivery<M>, byte[]> format;

  @GuardedBy("this")
  private @Nullable FileChannel file;

  @GuardedBy("this")
  private int number;

  @GuardedBy("this")
  private boolean closed;

  /**
   * For files in a directory, which is made if it is not there.
   *
   * @param prefix of the files' names
   * @param maxBytes size from which on a file is not written to any more
   * @param format what to write for a message, line end included
   * @throws ConfigurationException the directory cannot be used
   */
  public FileProcessor(
      Path directory, String prefix, long maxBytes, Function<? super Delivery<M>, byte[]> format) {
    this.directory = Objects.requireNonNull(directory, "directory");
    this.prefix = Objects.requireNonNull(prefix, "prefix");
    this.format = Objects.requireNonNull(format, "format");
    this.maxBytes = maxBytes;
    if (maxBytes < 1) {
      throw new ConfigurationException("files in " + directory + " of " + maxBytes + " bytes");
    }
    try {
      Files.createDirectories(directory);
      this.number = lastNumber();
    } catch (IOException e) {
      throw new ConfigurationException("cannot write files in " + directory, e);
    }
  }

  private int lastNumber() throws IOException {
    int last = 0;
    try (DirectoryStream<Path> files =
        Files.newDirectoryStream(directory, prefix + "-*" + SUFFIX)) {
      for (Path found : files) {
        String name = found.getFileName().toString();
        String digits = name.substring(prefix.length() + 1, name.length() - SUFFIX.length());
        if (NUMBER.matcher(digits).matches()) {
          last = Math.max(last, Integer.parseInt(digits));
        }
      }
    }
    return last;
  }

  @Override
  public List<ProcessResult<M>> process(List<Delivery<M>> batch) throws IOException {
    List<byte[]> lines = new ArrayList<>(batch.size()); // the user's code, before the lock
    for (Delivery<M> delivery : batch) {
      lines.add(format.apply(delivery));
    }
    append(lines);
    return Collections.nCopies(batch.size(), ProcessResult.pass());
  }

  private synchronized void append(List<byte[]> lines) throws IOException {
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
    } catch (IOException e) {
      abandon(out, start);
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
    number++;
    Path next = directory.resolve(String.format(Locale.ROOT, "%s-%06d%s", prefix, number, SUFFIX));
    FileChannel opened =
        FileChannel.open(next, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    file = opened;
    return opened;
  }

  /** Cuts what was written of a batch, and goes on in another file: this one is not trusted. */
  @GuardedBy("this")
  private void abandon(FileChannel out, long start) throws IOException {
    file = null;
    try (out) {
      if (out.isOpen()) {
        out.truncate(start);
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
