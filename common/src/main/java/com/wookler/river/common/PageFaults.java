package com.wookler.river.common;

import java.lang.ref.Reference;

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
  private static final int ROWS = 8; // more than what compilers make without the JVM

  private PageFaults() {}

  /**
   * Takes an error that is under way, if there is one. It makes an array of arrays: of all that is
   * cheap, only that enters the JVM so that such an error is thrown there, whether the caller is
   * interpreted or compiled. Calls of native methods, of {@link Thread#holdsLock} say, do not.
   *
   * @throws InternalError that error, where the caller's call is the first and has to be linked
   */
  @SuppressWarnings("ReachabilityFenceUsage") // only keeps a compiler from leaving the array out
  public static void settle() {
    try {
      Reference.reachabilityFence(new byte[ROWS][1]); // nothing may be allocated before the try
    } catch (InternalError e) {
      return; // that was it
    }
  }
}
