package com.wookler.river.core.log.recovery;

import com.wookler.river.core.log.files.LogDirectory;
import java.io.IOException;
import java.nio.file.Path;

/** Shows the tests of the log what a recovery finds in a block. */
public record BlockProbe(String fault, boolean isValid) {
  /** Walks a block. */
  public static BlockProbe of(int number, Path file, LogDirectory log) throws IOException {
    BlockContent.Walked walked = BlockContent.walk(number, file, 0, log);
    return new BlockProbe(walked.fault(), walked.isValid());
  }
}
