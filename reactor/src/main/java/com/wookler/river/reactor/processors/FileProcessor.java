package com.wookler.river.reactor.processors;

import com.wookler.river.common.config.ConfigNode;
import com.wookler.river.common.config.Configurable;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.reactor.BatchProcessor;
import com.wookler.river.reactor.ProcessResult;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Appends messages to files that rotate: {@code <prefix>-000001.log} and so on. Passes them on.
 *
 * <p>A batch is forced to the device before its messages are completed, and begins in a new file if
 * the present one has reached its size. After a crash a batch may be there twice, or in part and
 * then whole: at least once, like the delivery. A batch that could not be written is cut off again.
 * Each processor that opens a directory begins a new file. Batches are written one after the other.
 *
 * <p>In XML: {@code file.directory}, {@code file.bytes}; the prefix is the processor's name, and a
 * message is written as its data, bytes or text, and a line end. Thread-safe.
 *
 * @param <M> type of the data
 */
public final class FileProcessor<M> implements BatchProcessor<M>, Configurable, AutoCloseable {
  private static final String DIRECTORY = "file.directory";
  private static final String BYTES = "file.bytes";
  private static final long DEFAULT_BYTES = 64 << 20;

  private @Nullable RollingFiles files; // set before the first message
  private Function<? super Delivery<M>, byte[]> format =
      delivery -> MessageBytes.line(Objects.requireNonNull(delivery.data()));

  /** For XML. */
  public FileProcessor() {}

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
    this.format = Objects.requireNonNull(format, "format");
    this.files =
        new RollingFiles(
            Objects.requireNonNull(directory, "directory"),
            Objects.requireNonNull(prefix, "prefix"),
            maxBytes);
  }

  @Override
  public void configure(ConfigNode node) {
    node.allowParams(List.of(DIRECTORY, BYTES));
    files =
        new RollingFiles(
            Path.of(node.requireParam(DIRECTORY)),
            node.requireAttribute("name"),
            node.bytes(BYTES, DEFAULT_BYTES));
  }

  @Override
  public List<ProcessResult<M>> process(List<Delivery<M>> batch) throws IOException {
    if (files == null) {
      throw new ConfigurationException("a file processor needs the parameter " + DIRECTORY);
    }
    List<byte[]> lines = new ArrayList<>(batch.size()); // the user's code, before the lock
    List<ProcessResult<M>> results = new ArrayList<>(batch.size());
    for (Delivery<M> delivery : batch) {
      try {
        lines.add(format.apply(delivery));
        results.add(ProcessResult.pass());
      } catch (RuntimeException e) { // it concerns this message only
        results.add(ProcessResult.failed(e));
      }
    }
    files.append(lines);
    return results;
  }

  @Override
  public void close() throws IOException {
    if (files != null) {
      files.close();
    }
  }
}
