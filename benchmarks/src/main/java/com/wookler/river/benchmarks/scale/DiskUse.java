package com.wookler.river.benchmarks.scale;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** What a directory takes on the device. */
final class DiskUse {
  private DiskUse() {}

  /** Bytes of all blocks allocated, by {@code du}: files have holes, so their sizes say little. */
  static long of(Path directory) throws IOException, InterruptedException {
    Process du =
        new ProcessBuilder("du", "-s", "--block-size=1", directory.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String text = new String(du.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (du.waitFor() != 0) {
      throw new IOException("du failed for " + directory);
    }
    return Long.parseLong(text.substring(0, text.indexOf('\t')));
  }
}
