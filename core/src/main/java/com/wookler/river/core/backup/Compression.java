package com.wookler.river.core.backup;

import com.github.luben.zstd.Zstd;
import com.wookler.river.common.errors.RiverException;

/** Loads zstd, which is a native library. */
final class Compression {
  private Compression() {}

  /** Loads the library, once in a JVM; without it no backup could ever be made, so it throws. */
  static void ensure(String queue) {
    try {
      byte[] probe = {1, 2, 3};
      Zstd.decompress(Zstd.compress(probe), probe.length);
    } catch (LinkageError | RuntimeException e) {
      throw new RiverException(
          String.format(
              "queue %s has a backup.directory, but the native library of zstd, which compresses its"
                  + " backups, cannot be loaded: %s. It is copied into %s first: make that writable"
                  + " and executable, or name another directory with -DZstdTempFolder=<directory>;"
                  + " on Java 24 and newer allow native access with"
                  + " --enable-native-access=ALL-UNNAMED. Without backup.directory the queue opens,"
                  + " and deletes what every subscriber has completed",
              queue,
              root(e),
              System.getProperty("ZstdTempFolder", System.getProperty("java.io.tmpdir", "?"))),
          e);
    }
  }

  private static Throwable root(Throwable error) {
    Throwable root = error;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root;
  }
}
