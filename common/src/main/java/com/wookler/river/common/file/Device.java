package com.wookler.river.common.file;

import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Locale;

/**
 * Takes space for what is written, and forces it to the device. Tests block it, count its forces,
 * and have it fail.
 */
public interface Device {
  /** Below it a volume counts as full. */
  long LEAST_FREE_BYTES = 4 << 10;

  /** The device of this machine. */
  Device REAL = new Device() {};

  /** Returns when a range of the file is on the device, with what is needed to find it there. */
  default void force(Path file, MappedByteBuffer view, int from, int length) throws IOException {
    view.force(from, length);
  }

  /** Returns when a range of the marks is on the device. */
  default void forceMarks(MappedByteBuffer view, int from, int length) throws IOException {
    view.force(from, length);
  }

  /** Returns when the content of the file is on the device. */
  default void force(Path file, FileChannel channel) throws IOException {
    channel.force(false);
  }

  /** Returns when the entries of a directory are on the device. */
  default void forceDirectory(Path directory) throws IOException {
    DurableFiles.forceDirectory(directory);
  }

  /** Is called after a recovery has changed a file, and before it changes the next. */
  default void repaired(Path file) throws IOException {}

  /** Returns the bytes that this process may still write to the volume of a directory. */
  default long free(Path directory) {
    return directory.toFile().getUsableSpace();
  }

  /** Returns whether something could not be written to a directory for lack of space. */
  default boolean isFull(IOException e, Path directory) {
    String text = String.valueOf(e.getMessage()).toLowerCase(Locale.ROOT);
    return text.contains("no space left")
        || text.contains("not enough space")
        || text.contains("quota exceeded")
        || free(directory) < LEAST_FREE_BYTES; // the text may be translated
  }

  /** Writes zeros over a part of an existing file, so that it has space. */
  default void zero(Path file, long from, long to) throws IOException {
    DurableFiles.zero(file, from, to);
  }
}
