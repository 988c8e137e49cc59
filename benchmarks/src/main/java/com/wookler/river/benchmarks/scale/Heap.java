package com.wookler.river.benchmarks.scale;

import java.lang.management.ManagementFactory;

/** The heap of this JVM. */
final class Heap {
  private static final int COLLECTIONS = 3;

  private Heap() {}

  /** Bytes in use after collections that have cleared what references let go, too. */
  static long used() {
    for (int i = 0; i < COLLECTIONS; i++) {
      System.gc();
    }
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}
