package com.wookler.river.common.file;

import java.io.EOFException;
import java.io.IOException;
import java.io.StreamCorruptedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Distinguishes an error that may pass from one that means damage: a file that is there but cannot
 * be opened or mapped now, for want of descriptors, of memory, of permission, is not damaged.
 */
public final class Unreadable {
  private static final int DEEPEST = 16; // of causes

  private Unreadable() {}

  /**
   * Returns the error as one that may pass; null if it means damage.
   *
   * @param file that was to be read; one that is not there is damage
   */
  public static @Nullable IOException passing(Throwable error, Path file) {
    if (!file.toFile().exists()) {
      return null;
    }
    Throwable cause = error;
    for (int i = 0; i < DEEPEST && cause != null; i++) {
      if (cause instanceof OutOfMemoryError) { // so the JDK says that it cannot map
        return new IOException(cause.toString(), error);
      }
      if (cause instanceof IOException failed && !isOfContent(failed)) {
        return failed;
      }
      cause = cause.getCause();
    }
    return null;
  }

  private static boolean isOfContent(IOException e) {
    return e instanceof StreamCorruptedException
        || e instanceof EOFException
        || e instanceof NoSuchFileException;
  }
}
