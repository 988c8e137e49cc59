package com.wookler.river.benchmarks.load;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * The messages of one publisher: eight bytes with their number, then text. A fixed set of arrays is
 * used in turn, so that making messages allocates nothing. Confined to the publisher's thread.
 */
final class Payloads {
  private static final VarHandle NUMBER =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
  private static final int PUBLISHER_SHIFT = 40;

  private final long base;
  private final byte[][] arrays;
  private final List<byte[]> all;
  private long next;

  /** Creates messages of 8 bytes or more; an array is used again when all others were given out. */
  Payloads(int publisher, int size, int arrays) {
    this.base = (long) publisher << PUBLISHER_SHIFT;
    this.arrays = new byte[arrays][size];
    Random random = new Random(publisher);
    for (byte[] array : this.arrays) {
      for (int i = 0; i < size; i++) {
        array[i] = (byte) (' ' + random.nextInt('~' - ' '));
      }
    }
    this.all = Collections.unmodifiableList(Arrays.asList(this.arrays));
  }

  /** Returns the next message. */
  byte[] one() {
    byte[] array = arrays[(int) (next % arrays.length)];
    NUMBER.set(array, 0, base + next);
    next++;
    return array;
  }

  /** Returns as many next messages as there are arrays, always in the same list. */
  List<byte[]> all() {
    for (byte[] array : arrays) {
      NUMBER.set(array, 0, base + next);
      next++;
    }
    return all;
  }

  /** Returns a message's number, from which its publisher and its index follow. */
  static long number(byte[] message) {
    return (long) NUMBER.get(message, 0);
  }

  /** Returns the number of its publisher. */
  static int publisher(long number) {
    return (int) (number >>> PUBLISHER_SHIFT);
  }

  /** Returns its number among those of its publisher, from 0. */
  static long index(long number) {
    return number & (1L << PUBLISHER_SHIFT) - 1;
  }
}
