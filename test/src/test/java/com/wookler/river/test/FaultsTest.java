package com.wookler.river.test;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.reactor.ProcessResult;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Where the annotation may be. */
class FaultsTest {
  private static boolean losesAcks(TestQueue<String> orders) {
    TestHandler<String> billing = orders.handle("billing", delivery -> ProcessResult.ack());
    orders.publish("a");
    billing.deliverNext();
    return orders.trace().contains("<- the acknowledgement is lost");
  }

  @RiverTest
  @Faults(seed = 7, loseAck = 1)
  abstract static class WithFaults {
    @Test
    void shouldHaveFaultsInAClassThatExtends(TestQueue<String> orders) {
      assertThat(losesAcks(orders)).isTrue();
    }
  }

  @Nested
  class Extending extends WithFaults {}

  @Nested
  @RiverTest
  @Faults(seed = 7, loseAck = 1)
  class Around {
    @Test
    void shouldHaveFaults(TestQueue<String> orders) {
      assertThat(losesAcks(orders)).isTrue();
    }

    @Test
    @Faults(seed = 7)
    void shouldHaveThoseOfTheMethodFirst(TestQueue<String> orders) {
      assertThat(losesAcks(orders)).isFalse();
    }

    @Nested
    class Within {
      @Test
      void shouldHaveFaultsInANestedClass(TestQueue<String> orders) {
        assertThat(losesAcks(orders)).isTrue();
      }
    }

    @Nested
    @Faults(seed = 7)
    class WithItsOwn {
      @Test
      void shouldHaveThoseOfTheNestedClassFirst(TestQueue<String> orders) {
        assertThat(losesAcks(orders)).isFalse();
      }
    }
  }
}
