package com.wookler.river.benchmarks.programs;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A queue of a program, in this JVM or at a server, with the one subscriber that all clients share.
 * Thread-safe.
 */
interface SpamQueue extends AutoCloseable {
  /** Something that was taken. */
  interface Item {
    /** What was put. */
    byte[] data();
  }

  String name();

  void put(byte[] item);

  void putAll(List<byte[]> items);

  /** The next, null if there was none until the time was over. */
  @Nullable Item take(Duration wait) throws InterruptedException;

  /** Up to so many; empty likewise. */
  List<Item> take(int max, Duration wait) throws InterruptedException;

  void ack(List<Item> items);

  /** Gives it to another. */
  void release(Item item);

  /** Finishes all that is there. */
  void purge();

  /** Items that nobody has finished. */
  long waiting();

  /** Size of the log. */
  long bytes();

  @Override
  void close();
}
