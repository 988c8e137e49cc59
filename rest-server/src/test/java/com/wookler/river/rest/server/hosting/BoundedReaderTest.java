package com.wookler.river.rest.server.hosting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.DamagedMessageException;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.message.StoredMessage;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.ReadOnlyDelivery;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How many messages a search has in memory at once. */
class BoundedReaderTest {
  private static final int MESSAGES = 200;
  private static final int AT_ONCE = 16;

  @TempDir Path directory;
  private final List<Integer> counts = new ArrayList<>();

  private BoundedReader.Found<String> search(
      int max, @Nullable Predicate<Delivery<String>> filter) {
    try (MessageQueue<String> queue =
        MessageQueue.builder("orders", MessageConverter.utf8()).directory(directory).open()) {
      queue.publisher().publishAll(Collections.nCopies(MESSAGES, "x"));
      return BoundedReader.search(
          0,
          max,
          Long.MAX_VALUE,
          filter,
          (from, count) -> {
            counts.add(count);
            return queue.read(from, count);
          });
    }
  }

  @Test
  void shouldReadFewAtOnceBecauseTheNextMayBeLarge() {
    BoundedReader.Found<String> found = search(1_000, each -> each.sequence() % 2 == 0);

    assertThat(found.messages()).hasSize(MESSAGES / 2);
    assertThat(found.next()).isEqualTo(-1);
    assertThat(counts).startsWith(1, 2, 4, 8, AT_ONCE).allMatch(count -> count <= AT_ONCE);
  }

  @Test
  void shouldReadNoMoreThanItReturnsWithoutAFilter() {
    BoundedReader.Found<String> found = search(5, null);

    assertThat(found.messages()).hasSize(5);
    assertThat(found.next()).isEqualTo(5);
    assertThat(counts).containsExactly(1, 2, 2);
  }

  @Test
  void shouldEndBeforeADamagedMessageAndBeRefusedThere() {
    BoundedReader.Reader<String> damaged =
        (from, count) -> {
          if (from >= 3) {
            throw new DamagedMessageException("sequence 3: damaged");
          }
          return List.of(
              new ReadOnlyDelivery<>(
                  new StoredMessage(from, 0, new byte[1], null, Map.of(), null),
                  MessageConverter.utf8(),
                  0));
        };
    BoundedReader.Found<String> found = BoundedReader.search(0, 10, 1_000, null, damaged);

    assertThat(found.messages()).hasSize(3);
    assertThat(found.next()).isEqualTo(3);
    assertThatThrownBy(() -> BoundedReader.search(3, 10, 1_000, null, damaged))
        .isInstanceOf(DamagedMessageException.class);
  }
}
