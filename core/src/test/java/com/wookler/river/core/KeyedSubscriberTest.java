package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Backoff;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Order;
import com.wookler.river.core.subscriber.Position;
import com.wookler.river.core.subscriber.Settled;
import com.wookler.river.core.subscriber.Settlement;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.core.subscriber.SubscriberStats;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** At most one message of a key at a time. Messages are "a0" and such: key and number. */
@Timeout(120)
class KeyedSubscriberTest {
  private static final Duration ACK_TIMEOUT = Duration.ofSeconds(30);
  private static final Duration LONG = Duration.ofSeconds(20);

  @TempDir Path directory;

  private final ManualTimeSource time = new ManualTimeSource(Instant.parse("2026-11-20T10:00:00Z"));
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private MessageQueue<String> queue;
  private Subscriber<String> subscriber;

  @AfterEach
  void close() {
    threads.shutdownNow();
    if (queue != null) {
      queue.close();
    }
  }

  private static SubscriberConfig.Builder billing() {
    return SubscriberConfig.builder("billing")
        .ack(true)
        .ackTimeout(ACK_TIMEOUT)
        .order(Order.KEY)
        .maxDeliveries(3);
  }

  private MessageQueue.Builder<String> builder() {
    return MessageQueue.builder("orders", MessageConverter.utf8())
        .directory(directory.resolve("data"));
  }

  private void open(SubscriberConfig.Builder config, String... messages) {
    queue = builder().timeSource(time).open();
    subscriber = queue.subscriber(config.build());
    publish(messages);
  }

  /** "a0" has the key "a"; "-0" has none. */
  private void publish(String... messages) {
    for (String message : messages) {
      queue.publisher().publish(message(message));
    }
  }

  private static Message<String> message(String text) {
    Message<String> message = Message.of(text);
    return text.startsWith("-") ? message : message.withKey(text.substring(0, 1));
  }

  private List<Delivery<String>> take() {
    List<Delivery<String>> taken = new ArrayList<>();
    for (Delivery<String> next = subscriber.next(); next != null; next = subscriber.next()) {
      taken.add(next);
    }
    return taken;
  }

  private static List<String> texts(List<Delivery<String>> deliveries) {
    return deliveries.stream().map(Delivery::data).toList();
  }

  private Delivery<String> only() {
    List<Delivery<String>> taken = take();
    assertThat(taken).hasSize(1);
    return taken.get(0);
  }

  @Test
  void shouldHandOverOneOfAKeyAndWhatHasNone() throws InterruptedException {
    open(billing(), "a0", "a1", "b0", "-0", "a2", "-1", "b1");
    List<Delivery<String>> batch = subscriber.batch(10, Duration.ZERO);
    assertThat(texts(batch)).containsExactly("a0", "b0", "-0", "-1");
    SubscriberStats stats = subscriber.stats();
    assertThat(stats.waiting()).isEqualTo(3);
    assertThat(stats.holes()).isEqualTo(7);
    assertThat(stats.lag()).isEqualTo(7);
    assertThat(stats.inFlight()).isEqualTo(4);
    assertThat(subscriber.next()).isNull();
    batch.get(0).ack();
    assertThat(only().data()).isEqualTo("a1");
    subscriber.ack(batch);
    assertThat(only().data()).isEqualTo("b1");
    assertThat(subscriber.stats().redelivered()).isZero();
  }

  @Test
  void shouldKeepAKeyThroughItsBackoff() {
    open(billing().backoff(Backoff.fixed(Duration.ofSeconds(5))), "a0", "a1", "b0");
    List<Delivery<String>> taken = take();
    taken.get(0).nack(Duration.ofMinutes(1));
    taken.get(1).ack();
    time.advance(Duration.ofSeconds(59));
    assertThat(take()).isEmpty();
    time.advance(Duration.ofSeconds(1));
    assertThat(only().attempt()).isEqualTo(2);
    time.advance(ACK_TIMEOUT); // times out, and waits for the backoff
    assertThat(take()).isEmpty();
    time.advance(Duration.ofSeconds(5));
    Delivery<String> last = only();
    assertThat(last.data()).isEqualTo("a0");
    assertThat(last.attempt()).isEqualTo(3);
    last.release();
    last = only();
    last.extend(Duration.ofHours(1));
    time.advance(Duration.ofMinutes(59));
    assertThat(take()).isEmpty();
    last.ack();
    assertThat(only().data()).isEqualTo("a1");
  }

  @Test
  void shouldGoOnWhenAMessageIsDead() {
    open(billing(), "a0", "a1", "a2");
    subscriber.next().reject("no");
    await().until(() -> subscriber.stats().dead() == 1);
    await().until(() -> !subscriber.peek(1).isEmpty()); // its key is free a little later
    for (int attempt = 1; attempt <= 3; attempt++) {
      Delivery<String> delivery = only();
      assertThat(delivery.data()).isEqualTo("a1");
      assertThat(delivery.attempt()).isEqualTo(attempt);
      time.advance(ACK_TIMEOUT);
    }
    await().until(() -> texts(take()).equals(List.of("a2")));
    assertThat(subscriber.deadLetters().peek(9)).hasSize(2);
  }

  @Test
  void shouldGoOnBehindWhatTheFilterRefusesAndWhatExpired() {
    open(
        billing().<String>filter(message -> !message.data().endsWith("1")), "a0", "a1", "b1", "b2");
    queue.publisher().publish(message("a2").expiresAfter(Duration.ofSeconds(10)));
    publish("a3");
    List<Delivery<String>> taken = take();
    assertThat(texts(taken)).containsExactly("a0", "b2");
    time.advance(Duration.ofSeconds(20));
    taken.get(0).ack();
    assertThat(only().data()).isEqualTo("a3");
    assertThat(subscriber.stats().filtered()).isEqualTo(2);
    assertThat(subscriber.stats().expired()).isEqualTo(1);
  }

  @Test
  void shouldKeepTheOrderBeyondARestart() {
    open(billing(), "a0", "a1", "b0", "b1", "a2");
    List<Delivery<String>> taken = take();
    taken.get(0).nack(Duration.ofHours(1));
    taken.get(1).ack();
    assertThat(only().data()).isEqualTo("b1");
    queue.close();
    open(billing());
    Delivery<String> other = only();
    assertThat(other.data()).isEqualTo("b1");
    assertThat(other.attempt()).isEqualTo(2);
    assertThat(subscriber.peek(9)).isEmpty(); // a1 and a2 wait for a0, which waits for its time
    other.ack();
    time.advance(Duration.ofHours(1));
    Delivery<String> first = only();
    assertThat(first.data()).isEqualTo("a0");
    assertThat(first.attempt()).isEqualTo(2);
    first.ack();
    Delivery<String> next = only();
    assertThat(next.data()).isEqualTo("a1");
    assertThat(next.attempt()).isEqualTo(1);
  }

  @Tag("full")
  @Test
  void shouldKeepTheOrderBeyondAKillAtAnyMoment() throws Exception {
    open(billing().maxDeliveries(0));
    for (int i = 0; i < 60; i++) {
      publish((char) ('a' + i * 7 % 4) + String.valueOf(i));
    }
    List<Delivery<String>> out = new ArrayList<>();
    for (int kill = 0; kill < 6; kill++) {
      out.addAll(subscriber.batch(3, Duration.ZERO));
      out.remove(kill % out.size()).ack();
      Path copy = directory.resolve("copy-" + kill); // every store is in the mapped files
      copy(directory.resolve("data"), copy);
      try (MessageQueue<String> killed =
          MessageQueue.builder("orders", MessageConverter.utf8()).directory(copy).open()) {
        shouldComeInOrder(killed.subscriber("billing"), out);
      }
    }
  }

  /** Works all off; what was out is the first of its key, and had an attempt more. */
  private static void shouldComeInOrder(Subscriber<String> killed, List<Delivery<String>> out) {
    Map<String, Long> last = new HashMap<>();
    for (Delivery<String> next = killed.next(); next != null; next = killed.next()) {
      long sequence = next.sequence();
      boolean wasOut = out.stream().anyMatch(one -> one.sequence() == sequence);
      assertThat(next.attempt()).isEqualTo(wasOut ? 2 : 1);
      Long before = last.put(next.key(), sequence);
      assertThat(before == null || (before < sequence && !wasOut)).isTrue();
      next.ack();
    }
    assertThat(killed.stats().lag()).isZero();
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        if (!file.endsWith("LOCK")) {
          Files.copy(file, to.resolve(from.relativize(file).toString()));
        }
      }
    }
  }

  @Test
  void shouldWakeAConsumerAtOnceWhenItsKeyGoesOn() throws Exception {
    open(billing(), "a0", "a1", "a2", "a3", "a4");
    Delivery<String> out = subscriber.next();
    for (int i = 1; i < 5; i++) {
      Future<Delivery<String>> waiting = threads.submit(() -> subscriber.next(LONG));
      await().until(() -> parked() == 1);
      decide(i, out); // the clock stands still: no time can wake it
      out = waiting.get(60, TimeUnit.SECONDS);
      assertThat(out.data()).isEqualTo("a" + i);
    }
    Delivery<String> last = out;
    publish("a5");
    var future = subscriber.batchAsync(3, LONG);
    await().until(() -> subscriber.stats().waiting() == 1);
    last.ack();
    assertThat(texts(future.get(60, TimeUnit.SECONDS))).containsExactly("a5");
  }

  private void decide(int how, Delivery<String> out) {
    switch (how) {
      case 1 -> out.ack();
      case 2 -> out.reject("no");
      case 3 ->
          assertThat(subscriber.settle(List.of(out.receipt()), Settlement.ack()))
              .containsExactly(Settled.OK);
      default -> subscriber.ackUpTo(out);
    }
  }

  private static long parked() {
    return Thread.getAllStackTraces().values().stream()
        .filter(
            stack -> Stream.of(stack).anyMatch(at -> at.getClassName().endsWith("Waiters$Waiter")))
        .count();
  }

  @Test
  void shouldLeaveThoseThatWaitWhenAllUpToOneAreAcknowledged() {
    open(billing(), "a0", "a1", "b0", "b1");
    List<Delivery<String>> taken = take();
    subscriber.ackUpTo(taken.get(1));
    assertThat(subscriber.stats().acked()).isEqualTo(2);
    assertThat(subscriber.stats().ackFloor()).isEqualTo(1);
    assertThat(texts(take())).containsExactly("a1", "b1");
    subscriber.ackUpTo(taken.get(1)); // again: a1 is out since, and not meant
    assertThat(subscriber.stats().inFlight()).isEqualTo(2);
  }

  @Test
  void shouldLeaveWhatHasItsTurnAndWasNotHandedOverWhenAllUpToOneAreAcknowledged() {
    open(billing(), "a0", "a1", "b0");
    List<Delivery<String>> taken = take();
    taken.get(0).ack(); // a1 has its turn
    subscriber.ackUpTo(taken.get(1));
    assertThat(subscriber.stats().lag()).isEqualTo(1);
    assertThat(only().data()).isEqualTo("a1");
  }

  @Test
  void shouldShowInALookWhatHasItsTurn() {
    open(billing().window(6).maxInFlight(6), "a0", "a1", "b0", "-0", "c0", "c1", "d0", "-1");
    assertThat(texts(subscriber.peek(9))).containsExactly("a0", "b0", "-0", "c0");
    Delivery<String> first = subscriber.next();
    assertThat(texts(subscriber.peek(9))).containsExactly("b0", "-0", "c0");
    subscriber.next(); // b0; a1 was read
    first.ack();
    assertThat(texts(subscriber.peek(9))).containsExactly("a1", "-0", "c0", "d0");
    assertThat(texts(subscriber.peek(2))).containsExactly("a1", "-0");
  }

  @Test
  void shouldStopReadingAtTheEndOfTheWindow() {
    open(billing().window(4).maxInFlight(4), "a0", "a1", "a2", "a3", "b0");
    Delivery<String> first = only();
    assertThat(subscriber.stats().windowUsed()).isEqualTo(4);
    first.ack();
    assertThat(texts(take())).containsExactly("a1", "b0");
  }

  @Test
  void shouldForgetWhoIsBusyAtASeekAndAPurge() {
    open(billing(), "a0", "a1", "b0");
    take();
    subscriber.seek(Position.sequence(1));
    assertThat(texts(take())).containsExactly("a1", "b0");
    assertThat(subscriber.purge()).isEqualTo(2);
    publish("a2");
    assertThat(only().data()).isEqualTo("a2");
    subscriber.pause();
    publish("b1");
    assertThat(subscriber.next()).isNull();
    subscriber.resume();
    assertThat(only().data()).isEqualTo("b1");
  }

  @Test
  void shouldBeOpenedInItsOrderOnly() throws IOException {
    open(billing(), "a0", "a1");
    subscriber.close();
    assertThatThrownBy(() -> queue.subscriber(billing().order(Order.SEQUENCE).build()))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("order = KEY");
    queue.subscriber(billing().window(100).maxInFlight(50).build()); // other settings may change
    queue.close();
    Files.delete(directory.resolve("data/orders/subscribers/billing/subscriber.json"));
    queue = builder().open();
    subscriber = queue.subscriber("billing");
    assertThat(subscriber.config().order()).isEqualTo(Order.KEY); // the ledger tells
    assertThat(only().data()).isEqualTo("a0");
  }

  @Test
  void shouldRefuseTheOrderOfKeysWithoutAcknowledgement() {
    assertThatThrownBy(() -> billing().ack(false).build())
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("subscriber.ack.required");
  }

  @Test
  void shouldWorkOffAHotKeyBesideOthers() throws InterruptedException {
    queue = builder().open();
    subscriber = queue.subscriber(billing().maxDeliveries(0).build());
    int hot = 100_000;
    List<Message<String>> batch = new ArrayList<>();
    for (int i = 0; i < hot; i++) {
      batch.add(message("h" + i));
      if (batch.size() == 1_000) {
        queue.publisher().putAll(batch, Durability.MEMORY);
        batch.clear();
      }
    }
    publish("x0");
    assertThat(texts(take())).containsExactly("h0", "x0");
    assertThat(subscriber.stats().waiting()).isEqualTo(hot - 1);
    subscriber.seek(Position.earliest());
    for (int i = 0; i < hot; i++) {
      List<Delivery<String>> taken = subscriber.batch(2, Duration.ZERO);
      assertThat(taken.get(0).data()).isEqualTo("h" + i);
      subscriber.ack(taken);
    }
    assertThat(subscriber.stats().lag()).isZero();
  }

  @Test
  void shouldShareTheOrderAmongThreads() throws Exception {
    queue = builder().open();
    subscriber = queue.subscriber(billing().maxDeliveries(0).build());
    int messages = 20_000;
    Map<String, AtomicInteger> out = new ConcurrentHashMap<>();
    Map<String, Integer> done = new ConcurrentHashMap<>();
    AtomicInteger finished = new AtomicInteger();
    List<Future<?>> consumers = new ArrayList<>();
    for (int t = 0; t < 8; t++) {
      consumers.add(threads.submit(() -> consume(messages, out, done, finished)));
    }
    int[] number = new int[26];
    for (int i = 0; i < messages; i++) {
      int key = i % 3 == 0 ? 0 : i * 31 % 26;
      publish("" + (char) ('a' + key) + number[key]++);
    }
    for (Future<?> consumer : consumers) {
      consumer.get(60, TimeUnit.SECONDS);
    }
    assertThat(finished.get()).isEqualTo(messages);
    assertThat(subscriber.stats().lag()).isZero();
  }

  private Void consume(
      int messages,
      Map<String, AtomicInteger> out,
      Map<String, Integer> done,
      AtomicInteger finished)
      throws InterruptedException {
    while (finished.get() < messages) {
      for (Delivery<String> delivery : subscriber.batch(4, Duration.ofMillis(20))) {
        AtomicInteger holders = out.computeIfAbsent(delivery.key(), key -> new AtomicInteger());
        assertThat(holders.incrementAndGet()).isEqualTo(1);
        int number = Integer.parseInt(delivery.data().substring(1));
        assertThat(number).isEqualTo(done.getOrDefault(delivery.key(), 0));
        boolean again = ThreadLocalRandom.current().nextInt(10) == 0;
        if (!again) {
          done.put(delivery.key(), number + 1);
          finished.incrementAndGet();
        }
        holders.decrementAndGet();
        if (again) {
          delivery.nack(Duration.ZERO);
        } else {
          delivery.ack();
        }
      }
    }
    return null;
  }
}
