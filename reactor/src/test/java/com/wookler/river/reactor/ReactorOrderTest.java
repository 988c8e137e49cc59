package com.wookler.river.reactor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Order;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Several threads, and an order all the same. */
@Timeout(120)
class ReactorOrderTest {
  private static final int THREADS = 8;
  private static final Duration SOON = Duration.ofSeconds(60);

  @TempDir Path directory;

  private final Map<String, List<Integer>> seen = new ConcurrentHashMap<>();
  private final Map<String, AtomicInteger> busy = new ConcurrentHashMap<>();
  private MessageQueue<String> queue;

  @BeforeEach
  void open() {
    queue = MessageQueue.builder("orders", MessageConverter.utf8()).directory(directory).open();
  }

  @AfterEach
  void close() {
    queue.close();
  }

  private Subscriber<String> subscriber(Order order) {
    return queue.subscriber(
        SubscriberConfig.builder("store-" + order)
            .ack(true)
            .ackTimeout(Duration.ofMinutes(10))
            .order(order)
            .build());
  }

  private void publish(int messages, int keys) {
    for (int i = 0; i < messages; i++) {
      Message<String> message = Message.of(String.valueOf(i / keys));
      queue.publisher().publish(message.withKey("key-" + i % keys));
    }
  }

  private ProcessResult<String> see(Delivery<String> delivery) {
    String key = String.valueOf(delivery.key());
    AtomicInteger holders = busy.computeIfAbsent(key, any -> new AtomicInteger());
    boolean alone = holders.incrementAndGet() == 1;
    seen.computeIfAbsent(key, any -> Collections.synchronizedList(new ArrayList<>()))
        .add(alone ? Integer.parseInt(delivery.data()) : -1);
    holders.decrementAndGet();
    return ProcessResult.done();
  }

  private static void awaitDrained(Subscriber<String> subscriber) {
    await().atMost(SOON).until(() -> subscriber.stats().lag() == 0);
  }

  @Test
  void shouldKeepEachKeysOrderWithAllThreadsBusy() {
    Subscriber<String> subscriber = subscriber(Order.KEY);
    publish(800, THREADS);
    CyclicBarrier all = new CyclicBarrier(THREADS); // passes only when eight are in it at once
    try (Reactor<String> reactor =
        Reactor.builder(subscriber)
            .orderBy(Order.KEY)
            .threads(THREADS)
            .processor(
                delivery -> {
                  all.await(60, TimeUnit.SECONDS);
                  return see(delivery);
                })
            .start()) {
      awaitDrained(subscriber);
      assertThat(reactor.stats().failed()).isZero();
    }
    assertThat(seen).hasSize(THREADS);
    assertThat(seen.values()).allSatisfy(one -> assertThat(one).hasSize(100).isSorted());
  }

  @Test
  void shouldLetAPoisonedKeyHoldNoOther() {
    Subscriber<String> subscriber = subscriber(Order.KEY);
    publish(400, 20);
    try (Reactor<String> reactor =
        Reactor.builder(subscriber)
            .threads(THREADS)
            .processor(
                delivery ->
                    "key-3".equals(delivery.key())
                        ? ProcessResult.retry(Duration.ofHours(1))
                        : see(delivery))
            .start()) {
      await().atMost(SOON).until(() -> subscriber.stats().lag() == 20);
      assertThat(reactor.stats().retried()).isEqualTo(1); // the others of its key wait behind it
      assertThat(subscriber.stats().waiting()).isEqualTo(19);
    }
    assertThat(seen).hasSize(19).doesNotContainKey("key-3");
    assertThat(seen.values()).allSatisfy(one -> assertThat(one).hasSize(20).isSorted());
  }

  @Test
  void shouldProcessOneAtATimeInTheOrderOfSequences() {
    Subscriber<String> subscriber = subscriber(Order.SEQUENCE);
    publish(500, 1);
    try (Reactor<String> reactor =
        Reactor.builder(subscriber)
            .orderBy(Order.SEQUENCE)
            .threads(THREADS)
            .batchSize(3)
            .processor(this::see)
            .start()) {
      awaitDrained(subscriber);
      assertThatThrownBy(() -> reactor.process(Duration.ZERO))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("a thread of its own");
    }
    assertThat(seen.get("key-0")).hasSize(500).isSorted().doesNotContain(-1);
  }

  @Test
  void shouldTakeNothingBeforeAMessageThatFailedIsCompletedOrDead() {
    Subscriber<String> subscriber = subscriber(Order.STRICT);
    publish(100, 1);
    List<Long> given = Collections.synchronizedList(new ArrayList<>());
    try (Reactor<String> reactor =
        Reactor.builder(subscriber)
            .orderBy(Order.STRICT)
            .threads(THREADS)
            .batchSize(3)
            .processor(
                delivery -> {
                  given.add(delivery.sequence());
                  if (delivery.sequence() % 7 == 3 && delivery.attempt() == 1) {
                    throw new IllegalStateException("the first time");
                  }
                  return ProcessResult.pass();
                })
            .start()) {
      awaitDrained(subscriber);
      assertThat(reactor.stats().finished()).isEqualTo(100);
    }
    List<Long> expected = new ArrayList<>();
    for (long sequence = 0; sequence < 100; sequence++) {
      expected.add(sequence);
      if (sequence % 7 == 3) {
        expected.add(sequence);
      }
    }
    assertThat(given).isEqualTo(expected);
  }

  @Test
  void shouldRefuseAnOrderThatIsNotTheSubscribers() {
    for (Order order : Order.values()) {
      Order other = order == Order.KEY ? Order.SEQUENCE : Order.KEY;
      assertThatThrownBy(
              () -> Reactor.builder(subscriber(order)).orderBy(other).processor(this::see).start())
          .isInstanceOf(ConfigurationException.class)
          .hasMessageContaining("subscriber.order=" + order);
    }
  }

  @Test
  void shouldKeepTheOrderBehindASelector() {
    Subscriber<String> subscriber = subscriber(Order.SEQUENCE);
    publish(100, 1);
    try (Reactor<String> reactor =
        Reactor.builder(subscriber)
            .select(
                Selector.<String>create()
                    .when(d -> d.sequence() % 3 == 0, "as-it-is", d -> ProcessResult.pass())
                    .otherwise("twice", ReactorOrderTest::twice))
            .processor("twice-again", ReactorOrderTest::twice)
            .processor(this::see)
            .start()) {
      awaitDrained(subscriber);
      assertThat(reactor.stats().finished()).isEqualTo(100);
    }
    assertThat(seen.get("key-0")).hasSize(34 * 2 + 66 * 4).isSorted().doesNotContain(-1);
  }

  private static ProcessResult<String> twice(Delivery<String> delivery) {
    Message<String> same = Message.of(delivery.data()).withKey("key-0");
    return ProcessResult.pass(List.of(same, same));
  }
}
