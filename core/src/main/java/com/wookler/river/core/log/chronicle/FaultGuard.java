package com.wookler.river.core.log.chronicle;

import net.openhft.chronicle.core.UnsafeMemory;

/**
 * Keeps the JVM alive where a page of a mapping cannot be written, because the file was cut or its
 * volume became read-only: in compiled code that is an {@link InternalError}, but a
 * compare-and-swap that is still interpreted ends the process (seen with Java 17).
 *
 * <p>Chronicle swaps headers and numbers in its files, and so does {@link MappedPages}. So the
 * methods that do it are called often enough to be compiled, before there is a file.
 */
final class FaultGuard {
  /** Over the thresholds of both compilers; takes a few milliseconds, once a JVM. */
  private static final int CALLS = 20_000;

  private FaultGuard() {}

  static {
    UnsafeMemory memory = UnsafeMemory.INSTANCE;
    long address = memory.allocate(Long.BYTES);
    try {
      memory.writeLong(address, 0);
      for (int i = 0; i < CALLS; i++) {
        memory.compareAndSwapInt(address, 0, 0);
        memory.compareAndSwapLong(address, 0, 0);
        memory.addInt(address, 0);
        memory.addLong(address, 0);
      }
    } finally {
      memory.freeMemory(address, Long.BYTES);
    }
  }

  /** Does it, if it was not done before. */
  static void ensure() {}
}
