package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.ForwardOrigin;
import com.wookler.river.core.message.Message;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/** What is published once into a {@link ModelledQueue}: with an id, or with an origin. */
final class Repetitions {
  /** How long ids are known. */
  static final Duration WINDOW = Duration.ofSeconds(45);

  private static final long WINDOW_MICROS = TimeUnit.NANOSECONDS.toMicros(WINDOW.toNanos());

  private final ModelledQueue queue;
  private final Map<String, Known> ids = new HashMap<>();
  private final Map<Origin, Long> last = new HashMap<>();

  private record Known(long sequence, long micros) {}

  Repetitions(ModelledQueue queue) {
    this.queue = queue;
  }

  /** Stored, but for those with an id that is known, or that an earlier one of these has. */
  void put(List<Message<byte[]>> batch) {
    long now = queue.time.epochMicros();
    Map<Integer, Long> duplicates = new TreeMap<>();
    Map<Message<byte[]>, Long> stored = new LinkedHashMap<>();
    long end = queue.log.end();
    for (int i = 0; i < batch.size(); i++) {
      Known known = ids.get(batch.get(i).id());
      if (known != null && now - known.micros < WINDOW_MICROS) {
        duplicates.put(i, known.sequence);
      } else {
        ids.put(batch.get(i).id(), new Known(end, now));
        stored.put(batch.get(i), end++);
      }
    }
    long first = stored.isEmpty() ? duplicates.get(0) : queue.log.end();
    assertThat(queue.queue().publisher().putAll(batch, Durability.MEMORY))
        .isEqualTo(new PublishResult(first, duplicates, Durability.MEMORY));
    stored.forEach((message, sequence) -> queue.log.published(sequence, message));
  }

  /** Stored unless the queue has this position of the origin, or a higher one. */
  void putFrom(int which, long position, Message<byte[]> message) {
    Origin origin = Origin.of("source " + which);
    long before = last.getOrDefault(origin, -1L);
    assertThat(queue.queue().lastFrom(origin).orElse(-1)).isEqualTo(before);
    PublishResult result = queue.queue().putFrom(origin, position, message, Durability.MEMORY);
    if (position <= before) {
      assertThat(result).isEqualTo(PublishResult.duplicateOf(-1, Durability.MEMORY));
      return;
    }
    assertThat(result).isEqualTo(PublishResult.stored(queue.log.end(), Durability.MEMORY));
    last.put(origin, position);
    queue.log.published(
        result.sequence(), message.withHeader(ForwardOrigin.HEADER, header(origin.id(), position)));
  }

  /** The value of a header that says where a message came from. */
  static byte[] header(UUID origin, long sequence) {
    ByteBuffer value = ByteBuffer.allocate(24);
    value.putLong(origin.getMostSignificantBits()).putLong(origin.getLeastSignificantBits());
    return value.putLong(sequence).array();
  }
}
