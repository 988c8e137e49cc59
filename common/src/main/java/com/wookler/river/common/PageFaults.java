package com.wookler.river.common;

/**
 * Reads and stores of mapped pages that a file has no more, because another program cut it, or that
 * cannot be written, because its volume became read-only.
 *
 * <p>The JVM lets such an access continue, a read with any bytes, and up to Java 18 throws its
 * {@link InternalError} where the thread enters the JVM next: perhaps in its user's code, or within
 * a lock, which is of no use to any thread then. No wrong bytes are delivered, for their checksums
 * are wrong; but the error must be taken back from the thread.
 */
public final class PageFaults {
  private PageFaults() {}

  /** Takes an error that is under way, if there is one. It allocates nothing. */
  public static void settle() {
    try {
      Thread.holdsLock(PageFaults.class); // enters the JVM
    } catch (InternalError e) {
      return; // that was it
    }
  }
}
