package com.wookler.river.common;

import java.lang.ref.Reference;

/**
 * Handles faults of memory-mapped pages: the file was truncated by another program, or its volume
 * became read-only.
 *
 * <p>After such a fault the JVM lets the access continue, a read with arbitrary bytes. Up to Java
 * 18 it throws an {@link InternalError} later, when the thread next enters the JVM: possibly in
 * user code, or while a lock is held, which then stays locked. Checksums detect the wrong bytes,
 * but the pending error must be cleared from the thread.
 */
public final class PageFaults {
  private static final int ROWS = 8; // more than compiled code allocates without entering the JVM

  private PageFaults() {}

  /**
   * Clears the pending error of the calling thread, if there is one. It allocates an array of
   * arrays: this is the only cheap operation that enters the JVM in such a way that the error is
   * thrown there, whether the caller is interpreted or compiled. Calls of native methods, such as
   * {@link Thread#holdsLock}, do not.
   *
   * @throws InternalError the pending error, if the call itself is the first and has to be linked
   */
  @SuppressWarnings("ReachabilityFenceUsage") // prevents the compiler from removing the allocation
  public static void settle() {
    try {
      Reference.reachabilityFence(new byte[ROWS][1]); // nothing may be allocated before the try
    } catch (InternalError e) {
      return; // the pending error
    }
  }
}
