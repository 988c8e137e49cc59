package com.wookler.river.forward;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.QueueStats;
import com.wookler.river.core.subscriber.DeadLetters;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.testing.KilledCopy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One queue for the dead letters of several subscribers: {@code subscriber.dead.queue}. */
@Timeout(120)
class SharedDeadLettersTest extends QueuesFixture {
  private static final int CIRCLING = 200; // messages

  private static Subscriber<String> subscriber(MessageQueue<String> queue, String name) {
    return queue.subscriber(
        SubscriberConfig.builder(name).ack(true).deadLetterQueue("dead").build());
  }

  private static void reject(MessageQueue<String> queue, Subscriber<String> subscriber, int count) {
    for (int i = 0; i < count; i++) {
      queue.publisher().publish(queue.name() + " " + i);
    }
    for (int i = 0; i < count; i++) {
      Delivery<String> next = subscriber.next();
      assertThat(next).isNotNull();
      next.reject("no stock");
    }
  }

  private static List<String> letters(MessageQueue<String> dead) {
    QueueStats stats = dead.stats();
    List<String> all = new ArrayList<>();
    for (long at = stats.firstSequence(); at < stats.nextSequence(); at++) {
      dead.read(at)
          .ifPresent(
              letter ->
                  all.add(
                      header(letter, DeadLetters.QUEUE)
                          + "/"
                          + header(letter, DeadLetters.SUBSCRIBER)
                          + "/"
                          + header(letter, DeadLetters.SEQUENCE)));
    }
    return all;
  }

  private static String header(Delivery<String> letter, String name) {
    return new String(letter.headers().get(name), StandardCharsets.UTF_8);
  }

  private static List<String> expected(String subscriber, int count) {
    return IntStream.range(0, count).mapToObj(i -> subscriber + "/" + i).toList();
  }

  @Test
  void shouldCollectTheLettersOfSeveralSubscribersWithWhatTheySay() {
    MessageQueue<String> dead = open(large(directory, "dead"));
    MessageQueue<String> orders = open(large(directory, "orders"));
    MessageQueue<String> prices = open(large(directory, "prices"));
    Subscriber<String> billing = subscriber(orders, "billing");
    Subscriber<String> shop = subscriber(prices, "shop");
    reject(orders, billing, 10);
    reject(prices, shop, 10);
    orders.publisher().publish("a");
    Subscriber<String> limited =
        orders.subscriber(
            SubscriberConfig.builder("limited")
                .ack(true)
                .maxDeliveries(2)
                .deadLetterQueue("dead")
                .build());
    while (limited.stats().lag() > 0) {
      Delivery<String> next = limited.next();
      if (next != null && next.sequence() < 10) {
        next.ack();
      } else if (next != null) {
        next.fail(new IllegalStateException("broken"));
      }
    }
    await().until(() -> letters(dead).size() == 21);
    assertThat(letters(dead))
        .containsAll(expected("orders/billing", 10))
        .containsAll(expected("prices/shop", 10))
        .contains("orders/limited/10");
    Delivery<String> last = dead.read(20).orElseThrow();
    assertThat(last.data()).isEqualTo("a");
    assertThat(header(last, DeadLetters.REASON)).contains("broken");
    assertThat(header(last, DeadLetters.EXCEPTION))
        .isEqualTo(IllegalStateException.class.getName());
    assertThat(header(last, DeadLetters.ATTEMPTS)).isEqualTo("2");
    await().until(() -> limited.deadLetters().size() == 0);
    assertThat(billing.deadLetters().size()).isZero();
    assertThat(billing.deadLetters().redrive(10)).isZero();
  }

  @Test
  void shouldWaitForTheQueueAndContinueAfterARestart() {
    MessageQueue<String> orders = open(large(directory, "orders"));
    Subscriber<String> billing = subscriber(orders, "billing");
    reject(orders, billing, 100);
    await().until(() -> billing.deadLetters().size() == 100);
    close();
    Subscriber<String> again = subscriber(open(large(directory, "orders")), "billing");
    assertThat(again.deadLetters().size()).isEqualTo(100);
    MessageQueue<String> dead = open(large(directory, "dead"));
    await().until(() -> again.deadLetters().size() == 0);
    assertThat(letters(dead)).isEqualTo(expected("orders/billing", 100));
  }

  /** Copies of many moments, in each of which no letter is missing or comes twice. */
  @Test
  void shouldHaveEachLetterOnceAcrossKills() throws Exception {
    MessageQueue<String> dead = open(large(directory, "dead"));
    MessageQueue<String> orders = open(large(directory, "orders"));
    Subscriber<String> billing = subscriber(orders, "billing");
    List<Path> copies = new ArrayList<>();
    Thread publisher = new Thread(() -> reject(orders, billing, 600));
    publisher.start();
    for (int i = 0; publisher.isAlive() || billing.deadLetters().size() > 0; i++) {
      Path copy = Files.createDirectory(directory.resolve("copy-" + i));
      if (KilledCopy.of(directory.resolve("orders"), copy.resolve("orders"))
          && KilledCopy.of(directory.resolve("dead"), copy.resolve("dead"))) {
        copies.add(copy);
      }
    }
    publisher.join();
    assertThat(letters(dead)).isEqualTo(expected("orders/billing", 600));
    close();
    for (Path copy : copies.subList(0, Math.min(20, copies.size()))) {
      MessageQueue<String> target = open(large(copy, "dead"));
      MessageQueue<String> source = open(large(copy, "orders"));
      Subscriber<String> again = subscriber(source, "billing");
      int published = (int) source.stats().nextSequence();
      for (Delivery<String> next = again.next(); next != null; next = again.next()) {
        next.reject("no stock");
      }
      await().until(() -> again.stats().lag() == 0 && again.deadLetters().size() == 0);
      assertThat(letters(target))
          .containsExactlyInAnyOrderElementsOf(
              expected("orders/billing", Math.max(published, letters(target).size())));
      close();
    }
  }

  private static Subscriber<String> sending(MessageQueue<String> queue, String letters) {
    return queue.subscriber(
        SubscriberConfig.builder("s").ack(true).deadLetterQueue(letters).build());
  }

  /** Rejects what comes for the first time and the second, and acknowledges the rest. */
  private static Thread rejecting(Subscriber<String> subscriber, Map<String, Integer> seen) {
    Thread thread =
        new Thread(
            () -> {
              while (seen.values().stream().mapToInt(Integer::intValue).sum() < 3 * CIRCLING) {
                Delivery<String> next = subscriber.next();
                if (next == null) {
                  Thread.onSpinWait();
                } else if (seen.merge(next.data(), 1, Integer::sum) < 3) {
                  next.reject("not here");
                } else {
                  next.ack();
                }
              }
            },
            "rejecting");
    thread.start();
    return thread;
  }

  /** Two queues have each other's dead letters: they go on only as far as consumers reject them. */
  @Test
  void shouldServeACircle() throws Exception {
    MessageQueue<String> orders = open(large(directory, "orders"));
    MessageQueue<String> repairs = open(large(directory, "repairs"));
    Subscriber<String> first = sending(orders, "repairs");
    Subscriber<String> second = sending(repairs, "orders");
    Map<String, Integer> seen = new ConcurrentHashMap<>();
    List<Thread> threads = List.of(rejecting(first, seen), rejecting(second, seen));
    for (int i = 0; i < CIRCLING; i++) {
      (i % 2 == 0 ? orders : repairs).publisher().publish("m" + i);
    }
    for (Thread each : threads) {
      each.join();
    }
    assertThat(seen).hasSize(CIRCLING).allSatisfy((data, times) -> assertThat(times).isEqualTo(3));
    for (Subscriber<String> each : List.of(first, second)) {
      await().until(() -> each.stats().lag() == 0 && each.deadLetters().size() == 0);
      assertThat(each.next()).isNull();
    }
    assertThat(first.stats().acked() + second.stats().acked()).isEqualTo(CIRCLING);
  }
}
