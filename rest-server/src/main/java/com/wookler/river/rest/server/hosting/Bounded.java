package com.wookler.river.rest.server.hosting;

import com.wookler.river.core.subscriber.Delivery;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

/** Reads messages a few at a time, so that an answer never has many large ones in memory. */
public final class Bounded {
  private static final int FIRST = 1; // of which the size is not known

  private Bounded() {}

  /** Reads messages that follow each other. */
  @FunctionalInterface
  public interface Reader<M> {
    /** Returns up to {@code max} messages from this sequence on; none at the end. */
    List<Delivery<M>> read(long from, int max);
  }

  /** Returns up to {@code max} messages, fewer if they have more data than this. */
  public static <M> List<Delivery<M>> read(long from, int max, long most, Reader<M> reader) {
    List<Delivery<M>> all = new ArrayList<>();
    long bytes = 0;
    int next = FIRST;
    long sequence = from;
    while (all.size() < max && bytes < most) {
      List<Delivery<M>> some = reader.read(sequence, Math.min(next, max - all.size()));
      if (some.isEmpty()) {
        break;
      }
      all.addAll(some);
      bytes += bytes(some);
      sequence = some.get(some.size() - 1).sequence() + 1;
      next *= 2;
    }
    return all;
  }

  /** Returns what is found by the first count that brings this much data, or {@code max}. */
  static <M> List<Delivery<M>> first(int max, long most, IntFunction<List<Delivery<M>>> reader) {
    int count = Math.min(FIRST, max);
    while (true) {
      List<Delivery<M>> found = reader.apply(count);
      if (found.size() < count || count == max || bytes(found) >= most) {
        return found;
      }
      count = Math.min(max, 2 * count);
    }
  }

  private static long bytes(List<? extends Delivery<?>> messages) {
    long bytes = 0;
    for (Delivery<?> message : messages) {
      byte[] data = message.bytes();
      bytes += data == null ? 0 : data.length;
    }
    return bytes;
  }
}
