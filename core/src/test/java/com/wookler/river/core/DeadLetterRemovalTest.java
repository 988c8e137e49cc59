package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.DeadLetters;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Single dead letters that are dropped, and how much of all of them is read. */
@Timeout(120)
class DeadLetterRemovalTest {
  private static final SubscriberConfig BILLING =
      SubscriberConfig.builder("billing").ack(true).build();

  @TempDir Path directory;

  private MessageQueue<String> queue;
  private Subscriber<String> billing;

  @BeforeEach
  void open() {
    queue = MessageQueue.builder("orders", MessageConverter.utf8()).directory(directory).open();
    billing = queue.subscriber(BILLING);
  }

  @AfterEach
  void close() {
    queue.close();
  }

  private void reject(String... messages) {
    for (String message : messages) {
      queue.publisher().publish(message);
      Delivery<String> delivery = billing.next();
      assertThat(delivery).isNotNull();
      delivery.reject("no good");
    }
    await().until(() -> billing.stats().lag() == 0);
  }

  private List<String> left() {
    return billing.deadLetters().peek(9).stream().map(Delivery::data).toList();
  }

  @Test
  void shouldDropOneLetterForGood() {
    reject("a", "b", "c");
    DeadLetters<String> letters = billing.deadLetters();
    long second = letters.peek(3).get(1).sequence();
    assertThat(letters.remove(second)).isTrue();
    assertThat(letters.remove(second)).isFalse();
    assertThat(letters.remove(99)).isFalse();
    assertThat(letters.size()).isEqualTo(2);

    close();
    open();
    assertThat(left()).containsExactly("a", "c");
    assertThat(billing.deadLetters().redrive(9)).isEqualTo(2);
    assertThat(billing.deadLetters().remove(0)).isFalse();
  }

  @Test
  void shouldDropOrRedriveEachLetterOnceBesideARunningRedrive() {
    String[] messages = IntStream.range(0, 300).mapToObj(String::valueOf).toArray(String[]::new);
    reject(messages);
    DeadLetters<String> letters = billing.deadLetters();
    List<Delivery<String>> all = letters.peek(messages.length);
    CompletableFuture<Integer> redriven =
        CompletableFuture.supplyAsync(() -> letters.redrive(messages.length));
    List<String> here = new ArrayList<>();
    for (int i = messages.length - 1; i >= 0; i--) { // the redrive begins with the oldest
      if (letters.remove(all.get(i).sequence())) {
        here.add(all.get(i).data());
      }
    }
    for (int i = redriven.join(); i > 0; i--) {
      Delivery<String> delivery = billing.next();
      assertThat(delivery).isNotNull();
      here.add(delivery.data());
      delivery.ack();
    }
    assertThat(here).containsExactlyInAnyOrder(messages);
    assertThat(letters.size()).isZero();
    assertThat(billing.next()).isNull();
  }

  @Test
  void shouldDropNothingWhereNoLetterCame() {
    assertThat(billing.deadLetters().remove(0)).isFalse();
  }

  @Test
  void shouldReadNoFurtherThanSoManyBytes() {
    String large = "x".repeat(1_000);
    reject(large, large, large, large, large);
    assertThat(billing.deadLetters().peek(9, 1)).hasSize(1);
    assertThat(billing.deadLetters().peek(9, 2_000)).hasSize(2);
    assertThat(billing.deadLetters().peek(9, 2_001)).hasSize(3);
    assertThat(billing.deadLetters().peek(2, 9_000)).hasSize(2);
    queue.publisher().publishAll(List.of(large, "small", large, large));
    assertThat(billing.peek(9, 1_001)).hasSize(2);
    assertThat(billing.peek(9, 2_005)).hasSize(3);
    Subscriber<String> filtered =
        queue.subscriber(
            SubscriberConfig.builder("filtered")
                .<String>filter(message -> message.data().equals("small"))
                .build());
    assertThat(filtered.peek(9, 1)).hasSize(1);
  }
}
