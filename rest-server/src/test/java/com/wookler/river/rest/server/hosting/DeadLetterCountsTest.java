package com.wookler.river.rest.server.hosting;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.DeadLetters;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** How often dead letters are looked for, which reads the file system while there are none. */
@Timeout(60)
class DeadLetterCountsTest {
  private static final SeriesKey KEY = new SeriesKey("orders", "billing");

  @TempDir Path directory;
  private final DeadLetterCounts counts = new DeadLetterCounts();
  private int looks;

  @Test
  void shouldLookForLettersOnceUntilOneComes() {
    try (MessageQueue<String> queue =
        MessageQueue.builder("orders", MessageConverter.utf8()).directory(directory).open()) {
      Subscriber<String> subscriber =
          queue.subscriber(SubscriberConfig.builder("billing").ack(true).build());
      Subscriber<?> counted = counting(subscriber);
      for (int i = 0; i < 3; i++) {
        assertThat(waiting(counted, subscriber)).isZero();
      }
      assertThat(looks).isOne();

      queue.publisher().publish("x");
      Objects.requireNonNull(subscriber.next()).reject("no");
      assertThat(waiting(counted, subscriber)).isOne();
      assertThat(waiting(counted, subscriber)).isOne();
      subscriber.deadLetters().purge();
      for (int i = 0; i < 3; i++) {
        assertThat(waiting(counted, subscriber)).isZero();
      }
      assertThat(looks).isEqualTo(4);
    }
  }

  private long waiting(Subscriber<?> counted, Subscriber<?> subscriber) {
    return counts.waiting(KEY, counted, subscriber.stats());
  }

  private Subscriber<?> counting(Subscriber<?> subscriber) {
    DeadLetters<?> letters =
        proxy(
            DeadLetters.class,
            (self, method, arguments) -> {
              looks++;
              return subscriber.deadLetters().size();
            });
    return proxy(Subscriber.class, (self, method, arguments) -> letters);
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }
}
