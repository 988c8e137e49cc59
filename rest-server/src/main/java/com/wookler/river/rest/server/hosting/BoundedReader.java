package com.wookler.river.rest.server.hosting;

import com.wookler.river.core.message.DamagedMessageException;
import com.wookler.river.core.subscriber.Delivery;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Reads messages in small batches, so that a response never has many large ones in memory. */
public final class BoundedReader {
  private static final int FIRST = 1; // message, because the size is not known

  private static final int MOST_AT_ONCE = 16; // because the next ones may all be large
  private static final long MOST_READ = 10_000;
  private static final long MOST_BYTES = 64L << 20;
  private static final long PART_BYTES = 1L << 20;

  private BoundedReader() {}

  /** Reads consecutive messages. */
  @FunctionalInterface
  public interface Reader<M> {
    /** Returns up to {@code max} messages from a sequence on; none at the end. */
    List<Delivery<M>> read(long from, int max);

    /** Returns where there is a message again, from a sequence on that has none; -1 at the end. */
    default long nextFrom(long sequence) {
      return -1;
    }
  }

  /**
   * Messages that were found.
   *
   * @param next where to continue; -1 at the end
   */
  public record Found<M>(List<Delivery<M>> messages, long next) {}

  /**
   * Returns up to {@code max} messages from a sequence on that a filter accepts, fewer if their
   * data reaches {@code maxBytes}, or after 10,000 messages or 64 MB that were read, or before a
   * damaged one.
   *
   * @param filter null for all messages
   */
  public static <M> Found<M> search(
      long from,
      int max,
      long maxBytes,
      @Nullable Predicate<Delivery<M>> filter,
      Reader<M> reader) {
    List<Delivery<M>> found = new ArrayList<>();
    long sequence = from;
    long read = 0;
    long readBytes = 0;
    long bytes = 0;
    int next = FIRST;
    while (found.size() < max && bytes < maxBytes && read < MOST_READ && readBytes < MOST_BYTES) {
      int count = filter == null ? Math.min(next, max - found.size()) : next;
      List<Delivery<M>> some;
      try {
        some = reader.read(sequence, count);
      } catch (DamagedMessageException e) {
        if (found.isEmpty()) {
          throw e;
        }
        break; // the next search says it
      }
      if (some.isEmpty()) {
        long there = reader.nextFrom(sequence);
        if (there <= sequence) {
          return new Found<>(found, -1);
        }
        sequence = there;
        continue;
      }
      for (Delivery<M> each : some) {
        sequence = each.place() + 1;
        if (filter == null || filter.test(each)) {
          found.add(each);
          bytes += bytes(List.of(each));
          if (found.size() == max) {
            return new Found<>(found, sequence);
          }
        }
      }
      long size = bytes(some);
      read += some.size();
      readBytes += size;
      next = (int) Math.min(2L * next, Math.max(1, PART_BYTES * some.size() / Math.max(1, size)));
      next = Math.min(next, MOST_AT_ONCE);
    }
    return new Found<>(found, sequence);
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
