package com.wookler.river.benchmarks.programs;

import com.wookler.river.benchmarks.programs.SpamQueue.Item;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How one client reads. Plain: a get is {@code next} and its ack. Transactional, the original's
 * {@code /close/open}: a get acknowledges what the last one took, then takes the next.
 *
 * <p>Not thread-safe: one a client.
 */
final class Getter implements AutoCloseable {
  /** How long a get that waits waits. */
  static final Duration PATIENCE = Duration.ofSeconds(1);

  private final SpamQueue queue;
  private final boolean transactional;
  private @Nullable Item open; // taken, not acknowledged yet

  /** For one client. */
  Getter(SpamQueue queue, boolean transactional) {
    this.queue = queue;
    this.transactional = transactional;
  }

  /** One get, waiting for {@link #PATIENCE} or not at all; null is a miss. */
  byte @Nullable [] get(boolean waiting) throws InterruptedException {
    close();
    Item item = queue.take(waiting ? PATIENCE : Duration.ZERO);
    if (item == null) {
      return null;
    }
    if (transactional) {
      open = item;
    } else {
      queue.ack(List.of(item));
    }
    return item.data();
  }

  /** Up to so many and their acknowledgement; empty is a miss. */
  List<byte[]> get(int max) throws InterruptedException {
    List<Item> items = queue.take(max, PATIENCE);
    if (!items.isEmpty()) {
      queue.ack(items);
    }
    return items.stream().map(Item::data).toList();
  }

  /** A get whose client is gone before it has the reply: what was taken goes to another. */
  void lose() throws InterruptedException {
    close();
    Item item = queue.take(Duration.ZERO);
    if (item != null) {
      queue.release(item);
    }
  }

  /** Acknowledges what the last get took. */
  @Override
  public void close() {
    Item last = open;
    if (last != null) {
      open = null;
      queue.ack(List.of(last));
    }
  }
}
