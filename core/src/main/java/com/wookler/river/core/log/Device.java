package com.wookler.river.core.log;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/** How what is written gets to the device; tests hold it, count it and let it fail. */
@FunctionalInterface
interface Device {
  /** Returns when the content of the file is on the device, with all its attributes if asked. */
  void force(Path file, FileChannel channel, boolean attributes) throws IOException;

  /** Likewise for the entries of a directory. */
  default void forceDirectory(Path directory) throws IOException {
    DurableFiles.forceDirectory(directory);
  }
}
