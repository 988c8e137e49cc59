package com.wookler.river.core.log;

import com.wookler.river.core.file.DurableFiles;
import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/**
 * How what is written gets space, and gets to the device; tests hold it, count it and let it fail.
 */
interface Device {
  /** The one there is. */
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

  /** A recovery has changed this file, and may die before it changes the next. */
  default void mended(Path file) throws IOException {}

  /** Bytes that this process may still write to the volume of a directory. */
  default long free(Path directory) {
    return directory.toFile().getUsableSpace();
  }

  /** Writes zeros over a part of an existing file, so that it has space. */
  default void zero(Path file, long from, long to) throws IOException {
    DurableFiles.zero(file, from, to);
  }
}
