package com.wookler.river.core.log;

import java.lang.ref.Reference;

/**
 * Reads and stores of pages that a mapped file has no more, because somebody cut it.
 *
 * <p>The JVM lets such an access go on, a read with any bytes, and up to Java 18 throws its error
 * where the thread enters the JVM next: perhaps in its user's code. No wrong bytes are delivered,
 * for they prove nothing; but the error must be taken back from the thread.
 */
public final class PageFaults {
  private static final int BYTES = 2 << 20;

  private PageFaults() {}

  /** Takes an error that is under way, if there is one. */
  public static void settle() {
    byte[] probe = {};
    try {
      probe = new byte[BYTES]; // too large to be made without the JVM
    } catch (InternalError e) {
      return; // that was it
    } finally {
      Reference.reachabilityFence(probe);
    }
  }
}
