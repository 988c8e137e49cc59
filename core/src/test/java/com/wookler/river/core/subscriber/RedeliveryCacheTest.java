package com.wookler.river.core.subscriber;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The built-in cache that queues without a file of their own share. */
class RedeliveryCacheTest {
  private static final UUID ONE = new UUID(0, 1);
  private static final UUID OTHER = new UUID(0, 2);

  @Test
  void shouldKeepTheMessagesOfQueuesApart() {
    try (RedeliveryCache some = RedeliveryCache.builtIn();
        RedeliveryCache more = RedeliveryCache.builtIn()) {
      some.put(ONE, 1, new byte[] {1});
      more.put(OTHER, 1, new byte[] {2});
      assertThat(some.get(ONE, 1)).containsExactly(1);
      assertThat(more.get(OTHER, 1)).containsExactly(2);
      assertThat(some.get(ONE, 2)).isNull();
    }
  }

  @Test
  void shouldNotReadWhatAnotherOpeningOfTheQueueLeft() {
    try (RedeliveryCache before = RedeliveryCache.builtIn();
        RedeliveryCache after = RedeliveryCache.builtIn()) {
      before.put(ONE, 1, new byte[] {1}); // the log may have lost it, and given its sequence away
      assertThat(after.get(ONE, 1)).isNull();
      assertThat(before.get(ONE, 1)).containsExactly(1);
    }
  }

  @Test
  void shouldEndWithTheLastQueueThatUsedIt() {
    RedeliveryCache some = RedeliveryCache.builtIn();
    RedeliveryCache more = RedeliveryCache.builtIn();
    some.put(ONE, 1, new byte[] {1});
    more.put(OTHER, 1, new byte[] {2});
    some.close();
    some.close();
    assertThat(some.get(ONE, 1)).isNull();
    some.put(ONE, 1, new byte[] {3});
    assertThat(more.get(OTHER, 1)).containsExactly(2);
    more.close();
    try (RedeliveryCache anew = RedeliveryCache.builtIn()) {
      assertThat(anew.get(OTHER, 1)).isNull();
    }
  }

  @Test
  void shouldEvictRatherThanGrow() {
    try (RedeliveryCache cache = RedeliveryCache.builtIn()) {
      for (int i = 0; i < 20_000; i++) {
        cache.put(ONE, i, new byte[512]);
      }
      int kept = 0;
      for (int i = 0; i < 20_000; i++) {
        kept += cache.get(ONE, i) == null ? 0 : 1;
      }
      assertThat(kept).isBetween(1, 10_000);
    }
  }
}
