package com.wookler.river.reactor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Filters and routes that are expressions, over stored messages and over what is passed on. */
class ReactorExpressionTest {
  @TempDir Path directory;

  private final Queue<String> seen = new ConcurrentLinkedQueue<>();

  @Test
  void shouldFilterAndSelectByExpressions() {
    try (MessageQueue<String> queue =
        MessageQueue.builder("orders", MessageConverter.utf8()).directory(directory).open()) {
      Subscriber<String> subscriber =
          queue.subscriber(SubscriberConfig.builder("audit").ack(true).build());
      queue.publisher().publish(Message.of("{\"n\": 1}").withKey("EU"));
      queue.publisher().publish(Message.of("{\"n\": 2}").withKey("US"));
      queue.publisher().publish(Message.of("{\"n\": 3}").withKey("EU"));
      Selector<String> selector =
          Selector.<String>create()
              .when("json.n > 20", "large", d -> see("large " + d.data()))
              .otherwise("small", d -> see("small " + d.data()));
      try (Reactor<String> reactor =
          Reactor.builder(subscriber)
              .filter("key == 'EU'")
              .processor(d -> ProcessResult.pass(List.of(Message.of(d.data().replace("}", "0}")))))
              .select(selector)
              .start()) {
        await().until(() -> subscriber.stats().lag() == 0);
        assertThat(reactor.stats().filtered()).isEqualTo(1);
      }
    }
    assertThat(seen).containsExactlyInAnyOrder("small {\"n\": 10}", "large {\"n\": 30}");
  }

  private ProcessResult<String> see(String text) {
    seen.add(text);
    return ProcessResult.done();
  }

  @Test
  void shouldRefuseWhatIsNoExpression() {
    assertThatThrownBy(() -> Selector.create().when("json.n >", "x", d -> ProcessResult.done()))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageStartingWith("column 8 ");
  }
}
