package com.wookler.river.rest.server.hosting;

import com.wookler.river.core.subscriber.Delivery;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

/** Reads messages in small batches, so that a response never has many large ones in memory. */
public final class BoundedReader {
  private static final int FIRST = 1; // message, because the size is not known

  private BoundedReader() {}

  /** Reads consecutive messages. */
  @FunctionalInterface
  public interface Reader<M> {
    /** Returns up to {@code max} messages from a sequence on; none at the end. */
    List<Delivery<M>> read(long from, int max);
  }

  /** Returns up to {@code max} messages, fewer if their data reaches {@code maxBytes}. */
  public static <M> List<Delivery<M>> read(long from, int max, long maxBytes, Reader<M> reader) {
    List<Delivery<M>> all = new ArrayList<>();
    long bytes = 0;
    int next = FIRST;
    long sequence = from;
    while (all.size() < max && bytes < maxBytes) {
      List<Delivery<M>> some = reader.read(sequence, Math.min(next, max - all.size()));
      if (some.isEmpty()) {
        break;
      }
      all.addAll(some);
      bytes += bytes(some);
      sequence = some.get(some.size() - 1).place() + 1;
      next *= 2;
    }
    return all;
  }

  /**
   * Returns up to {@code max} of the first messages, fewer if their data reaches {@code maxBytes}.
   * Reads from the start again with twice the count until that is so.
   */
  static <M> List<Delivery<M>> readFirst(
      int max, long maxBytes, IntFunction<List<Delivery<M>>> reader) {
    int count = Math.min(FIRST, max);
    while (true) {
      List<Delivery<M>> found = reader.apply(count);
      if (found.size() < count || count == max || bytes(found) >= maxBytes) {
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
