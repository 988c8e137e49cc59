package com.wookler.river.core;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.common.TimeSource;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.core.message.QueueFullException;
import com.wookler.river.core.message.StaleReceiptException;
import com.wookler.river.core.subscriber.ContinuationTarget;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.DurableSubscriber;
import com.wookler.river.core.subscriber.Lease;
import com.wookler.river.core.subscriber.Order;
import com.wookler.river.core.subscriber.Settled;
import com.wookler.river.core.subscriber.Settlement;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** One owner at a time is delivered to. */
@Timeout(120)
class ExclusiveTest {
  private static final Duration LONG = Duration.ofMinutes(1);

  @TempDir Path directory;

  private final ManualTimeSource time = new ManualTimeSource(Instant.parse("2026-11-20T10:00:00Z"));

  private MessageQueue<String> open(TimeSource source, int messages) {
    MessageQueue<String> queue =
        MessageQueue.builder("orders", MessageConverter.utf8())
            .directory(directory)
            .timeSource(source)
            .open();
    IntStream.range(0, messages).forEach(i -> queue.publisher().publish("m" + i));
    return queue;
  }

  private static Subscriber<String> exclusive(MessageQueue<String> queue, Duration lease) {
    return queue.subscriber(
        SubscriberConfig.builder("one")
            .ack(true)
            .ackTimeout(Duration.ofHours(1))
            .exclusive(true)
            .lease(lease)
            .build());
  }

  private static Delivery<String> present(Delivery<String> delivery) {
    return Objects.requireNonNull(delivery);
  }

  private static CompletableFuture<Delivery<String>> parked(Subscriber<String> consumer) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return consumer.next(LONG);
          } catch (InterruptedException e) {
            throw new CompletionException(e);
          }
        },
        task -> new Thread(task, "parked").start());
  }

  @Test
  void shouldDeliverToTheFirstOwnerUntilItsLeaseEnds() {
    try (MessageQueue<String> queue = open(time, 4)) {
      Subscriber<String> one = exclusive(queue, Duration.ofSeconds(10));
      Subscriber<String> a = one.consumer("a");
      Subscriber<String> b = one.consumer("b");
      assertThat(one.lease()).isNull();
      Delivery<String> first = present(a.next());
      assertThat(one.lease()).isEqualTo(new Lease("a", Duration.ofSeconds(10)));
      assertThat(b.next()).isNull();
      assertThat(one.next()).isNull(); // an owner too, without a name
      time.advance(Duration.ofSeconds(9));
      first.ack(); // which renews it
      time.advance(Duration.ofSeconds(9));
      assertThat(b.next()).isNull();
      Delivery<String> second = present(one.consumer("a").next()); // another object, the same owner
      time.advance(Duration.ofSeconds(10));
      assertThat(one.lease()).isNull();

      Delivery<String> again = present(b.next());
      assertThat(again.data()).isEqualTo("m1");
      assertThat(again.attempt()).isEqualTo(2);
      assertThat(a.next()).isNull();
      assertThatThrownBy(second::ack).isInstanceOf(StaleReceiptException.class);
      assertThat(one.settle(List.of(second.receipt()), Settlement.ack()))
          .containsExactly(Settled.STALE);
      again.ack();
      assertThat(present(b.next()).data()).isEqualTo("m2");
    }
  }

  @Test
  void shouldStillCountALateAcknowledgementIfNoOtherOwnerHasTakenTheLease() {
    try (MessageQueue<String> queue = open(time, 2)) {
      Subscriber<String> one = exclusive(queue, Duration.ofSeconds(10));
      Delivery<String> first = present(one.consumer("a").next());
      time.advance(Duration.ofSeconds(30));
      first.ack();
      assertThat(one.lease()).isNotNull();
      assertThat(one.consumer("b").next()).isNull();
      assertThat(one.stats().acked()).isOne();
    }
  }

  @Test
  void shouldGiveTheNextWhatTheFormerOwnerHadThoughItHadTimedOut() {
    try (MessageQueue<String> queue = open(time, 1)) {
      Subscriber<String> one = exclusive(queue, Duration.ofSeconds(10));
      Delivery<String> first = present(one.consumer("a").next());
      time.advance(Duration.ofHours(2));
      Subscriber<String> b = one.consumer("b");
      Delivery<String> again = present(b.next());
      assertThatThrownBy(first::ack).isInstanceOf(StaleReceiptException.class);
      again.ack();
    }
  }

  @Test
  void shouldWakeThoseThatWaitWhenTheLeaseIsReleased() throws Exception {
    try (MessageQueue<String> queue = open(TimeSource.system(), 1)) {
      Subscriber<String> one = exclusive(queue, Duration.ofHours(1));
      Subscriber<String> a = one.consumer("a");
      Delivery<String> first = present(a.next());
      CompletableFuture<Delivery<String>> parked = parked(one.consumer("b"));
      await().until(() -> one.consumer("b").next() == null);
      CompletableFuture<List<Delivery<String>>> future = one.consumer("c").batchAsync(5, LONG);
      first.ack();
      queue.publisher().publish("next");
      queue.publisher().publish("after");
      assertThat(future).isNotDone();
      assertThat(parked).isNotDone();
      a.close();

      Object got = CompletableFuture.anyOf(parked, future).get();
      assertThat(got).isNotNull();
      String owner = Objects.requireNonNull(one.lease()).owner();
      assertThat(owner).isIn("b", "c");
      (owner.equals("b") ? parked.get() : future.get().get(0)).ack();
      one.consumer(owner).releaseLease();
      CompletableFuture.allOf(parked, future).get();
    }
  }

  @Test
  void shouldWakeThoseThatWaitWhenTheLeaseEnds() throws Exception {
    try (MessageQueue<String> queue = open(TimeSource.system(), 2)) {
      Subscriber<String> one = exclusive(queue, Duration.ofMillis(300));
      present(one.consumer("a").next()).ack();
      CompletableFuture<List<Delivery<String>>> future = one.consumer("c").batchAsync(5, LONG);
      assertThat(future.get()).hasSize(1);
      CompletableFuture<Delivery<String>> parked = parked(one.consumer("b"));
      assertThat(present(parked.get()).attempt()).isEqualTo(2);
    }
  }

  @Test
  void shouldKeepTheLeaseWhileAPollWaitsAndDeliverToIt() throws Exception {
    try (MessageQueue<String> queue = open(TimeSource.system(), 0)) {
      Subscriber<String> one = exclusive(queue, Duration.ofSeconds(2));
      CompletableFuture<Delivery<String>> parked = parked(one.consumer("a"));
      await().until(() -> one.lease() != null);
      CompletableFuture<List<Delivery<String>>> other = one.consumer("b").batchAsync(5, LONG);
      CompletableFuture<List<Delivery<String>>> own = one.consumer("a").batchAsync(5, LONG);
      await()
          .during(Duration.ofSeconds(3))
          .until(() -> Objects.requireNonNull(one.lease()).owner().equals("a"));
      queue.publisher().publish("x");
      CompletableFuture.anyOf(parked, own).get(); // else one of them might take both
      queue.publisher().publish("y");
      CompletableFuture.allOf(parked, own).get();
      assertThat(other).isNotDone();
      assertThat(other.cancel(false)).isTrue();
    }
  }

  @Test
  void shouldDeliverPublishedMessagesToItsOwnerThoughOthersWait() throws Exception {
    try (MessageQueue<String> queue = open(TimeSource.system(), 1)) {
      Subscriber<String> one = exclusive(queue, Duration.ofHours(1));
      Subscriber<String> a = one.consumer("a");
      present(a.next()).ack();
      List<CompletableFuture<Delivery<String>>> others =
          IntStream.range(0, 3).mapToObj(i -> parked(one.consumer("other-" + i))).toList();
      for (int i = 0; i < 50; i++) {
        CompletableFuture<List<Delivery<String>>> next = a.batchAsync(5, LONG);
        queue.publisher().publish("p" + i);
        Delivery<String> got = next.get().get(0);
        assertThat(got.data()).isEqualTo("p" + i);
        got.ack();
      }
      assertThat(others).noneMatch(CompletableFuture::isDone);
      one.close();
      for (CompletableFuture<Delivery<String>> other : others) {
        assertThatThrownBy(other::get).hasRootCauseInstanceOf(QueueClosedException.class);
      }
    }
  }

  @Test
  void shouldBeFreeWhenItIsOpenedAgain() {
    try (MessageQueue<String> queue = open(time, 1)) {
      assertThat(exclusive(queue, LONG).consumer("a").next()).isNotNull();
    }
    try (MessageQueue<String> queue = open(time, 0)) {
      Delivery<String> again = present(exclusive(queue, LONG).consumer("b").next());
      assertThat(again.attempt()).isEqualTo(2);
    }
  }

  @Test
  void shouldServeOwnersOfASubscriberThatIsNotExclusive() {
    try (MessageQueue<String> queue = open(time, 2)) {
      Subscriber<String> shared =
          queue.subscriber(SubscriberConfig.builder("shared").ack(true).build());
      assertThat(shared.consumer("a").next()).isNotNull();
      assertThat(shared.consumer("b").next()).isNotNull();
      assertThat(shared.lease()).isNull();
      shared.consumer("a").close();
      assertThat(shared.stats().inFlight()).isEqualTo(2);
    }
  }

  @Test
  void shouldServeAnOwnerThatWasAwayForLong() {
    try (MessageQueue<String> queue = open(time, 3)) {
      Subscriber<String> one = exclusive(queue, Duration.ofSeconds(1));
      Subscriber<String> a = one.consumer("a");
      present(a.next()).ack();
      for (int i = 0; i < 5; i++) {
        time.advance(Duration.ofMinutes(1)); // its consumers are forgotten meanwhile
        assertThat(one.consumer("b" + i).lease()).isNull();
      }
      assertThat(present(a.next()).data()).isEqualTo("m1");
    }
  }

  /** What a former owner publishes with its acknowledgement fails after the lease has ended. */
  @Test
  void shouldGiveTheNextOwnerWhatTheFormerOneCouldNotComplete() throws Exception {
    try (MessageQueue<String> queue = open(time, 1)) {
      Subscriber<String> one = exclusive(queue, Duration.ofSeconds(10));
      Delivery<String> first = present(one.consumer("a").next());
      Subscriber<String> b = one.consumer("b");
      List<CompletableFuture<List<Delivery<String>>>> waiting = new ArrayList<>();
      ContinuationTarget<String> slow =
          (origin, oldest, messages) -> {
            time.advance(Duration.ofSeconds(11));
            assertThat(b.next()).isNull(); // has the lease now
            waiting.add(b.batchAsync(1, LONG));
            throw new QueueFullException("full");
          };
      assertThatThrownBy(() -> first.ackAndPublish(slow, List.of(Message.of("x"))))
          .isInstanceOf(QueueFullException.class);
      assertThatThrownBy(first::ack).isInstanceOf(StaleReceiptException.class);
      Delivery<String> again = waiting.get(0).get().get(0);
      assertThat(again.attempt()).isEqualTo(2);
      again.ack();
    }
  }

  /** Has time pass and owners forgotten at each moment at which a poll asks for the time. */
  private final class ForgettingTime implements TimeSource {
    private final Thread poller = Thread.currentThread();
    private Runnable atCall = () -> {};
    private int calls = Integer.MAX_VALUE;

    private void at(int call, Runnable run) {
      calls = call;
      atCall = run;
    }

    @Override
    public long nanoTime() {
      if (Thread.currentThread() == poller && calls-- == 0) {
        atCall.run();
      }
      return time.nanoTime();
    }

    @Override
    public Instant wallTime() {
      return time.wallTime();
    }

    @Override
    public long epochMicros() {
      return time.epochMicros();
    }

    @Override
    public void park(Object blocker, long nanos) {
      time.park(blocker, nanos);
    }
  }

  @Test
  void shouldServeAnOwnerThatBeginsToPollWhenItIsAboutToBeForgotten() throws Exception {
    ForgettingTime forgetting = new ForgettingTime();
    try (MessageQueue<String> queue = open(forgetting, 0)) {
      Subscriber<String> one = exclusive(queue, Duration.ofSeconds(1));
      Subscriber<String> a = one.consumer("a");
      for (int call = 0; call < 8; call++) {
        String data = "at call " + call;
        assertThat(a.next()).isNull();
        forgetting.at(
            call,
            () -> {
              time.advance(Duration.ofMinutes(10));
              CompletableFuture<Void> forgotten = // waits where the poll has the lock
                  CompletableFuture.runAsync(((DurableSubscriber<String>) one)::runMaintenance);
              assertThatCode(() -> forgotten.completeOnTimeout(null, 200, MILLISECONDS).join())
                  .doesNotThrowAnyException();
              queue.publisher().publish(data);
            });
        CompletableFuture<List<Delivery<String>>> next = a.batchAsync(1, Duration.ofDays(1));
        if (forgetting.calls >= 0) {
          forgetting.at(Integer.MAX_VALUE, () -> {});
          queue.publisher().publish(data);
        }
        Delivery<String> got = next.get(20, SECONDS).get(0);
        assertThat(got.data()).isEqualTo(data);
        got.ack();
      }
    }
  }

  @Test
  void shouldKeepTheLeaseByRenewingIt() {
    try (MessageQueue<String> queue = open(time, 1)) {
      Subscriber<String> one = exclusive(queue, Duration.ofSeconds(10));
      Subscriber<String> a = one.consumer("a");
      Subscriber<String> b = one.consumer("b");
      assertThat(a.renewLease()).isTrue();
      Delivery<String> first = present(a.next());
      for (int i = 0; i < 5; i++) {
        time.advance(Duration.ofSeconds(9));
        assertThat(a.renewLease()).isTrue();
        assertThat(b.renewLease()).isFalse();
      }
      time.advance(Duration.ofSeconds(9));
      first.extend(Duration.ofMinutes(1));
      time.advance(Duration.ofSeconds(9));
      assertThat(b.next()).isNull();
      time.advance(Duration.ofSeconds(1));
      assertThat(b.renewLease()).isTrue();
      assertThatThrownBy(first::ack).isInstanceOf(StaleReceiptException.class);
      assertThat(a.renewLease()).isFalse();
      assertThat(present(b.next()).attempt()).isEqualTo(2);
      assertThatThrownBy(() -> one.consumer("")).isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void shouldGiveTheNextOwnerDeadLettersAndKeysInTheirOrder() {
    try (MessageQueue<String> queue = open(time, 0)) {
      for (String each : List.of("a0", "b0", "a1")) {
        queue.publisher().publish(Message.of(each).withKey(each.substring(0, 1)));
      }
      Subscriber<String> one =
          queue.subscriber(
              SubscriberConfig.builder("keyed")
                  .ack(true)
                  .order(Order.KEY)
                  .maxDeliveries(2)
                  .exclusive(true)
                  .build());
      Subscriber<String> a = one.consumer("a");
      assertThat(present(a.next()).data()).isEqualTo("a0");
      assertThat(present(a.next()).data()).isEqualTo("b0");
      assertThat(a.next()).isNull();
      a.releaseLease();
      Subscriber<String> b = one.consumer("b");
      assertThat(present(b.next()).data()).isEqualTo("a0");
      present(b.next()).ack();
      assertThat(b.next()).isNull();
      b.releaseLease();
      assertThat(a.next()).isNull(); // a0 has had its deliveries
      Delivery<String> next = await().until(a::next, Objects::nonNull);
      assertThat(next.data()).isEqualTo("a1");
      assertThat(one.stats().dead()).isOne();
    }
  }

  /** Each message counts once, whoever had it before. */
  @Test
  void shouldLoseNothingWhileOwnersPassTheLeaseOn() throws Exception {
    int messages = 400;
    Map<String, Integer> acked = new ConcurrentHashMap<>();
    try (MessageQueue<String> queue = open(TimeSource.system(), messages)) {
      Subscriber<String> one =
          queue.subscriber(
              SubscriberConfig.builder("one")
                  .ack(true)
                  .ackTimeout(Duration.ofHours(1))
                  .exclusive(true)
                  .lease(Duration.ofMillis(100))
                  .build());
      List<CompletableFuture<Void>> owners = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        Subscriber<String> own = one.consumer("owner-" + i);
        Random random = new Random(i);
        owners.add(
            CompletableFuture.runAsync(
                () -> {
                  while (acked.size() < messages) {
                    work(own, random, acked);
                  }
                },
                task -> new Thread(task, own.name()).start()));
      }
      CompletableFuture.allOf(owners.toArray(CompletableFuture[]::new)).get();
      assertThat(one.stats().lag()).isZero();
    }
    assertThat(acked).hasSize(messages).doesNotContainValue(2);
  }

  private static void work(Subscriber<String> own, Random random, Map<String, Integer> acked) {
    try {
      for (Delivery<String> one : own.batch(5, Duration.ofMillis(20))) {
        if (random.nextInt(8) == 0) {
          own.releaseLease(); // and tries to acknowledge all the same
        }
        if (one.attempt() < 5 && random.nextInt(6) == 0) {
          continue;
        }
        try {
          one.ack();
          acked.merge(one.data(), 1, Integer::sum);
        } catch (StaleReceiptException e) {
          assertThat(e).hasMessageContaining("one"); // another owner has it
        }
      }
      own.releaseLease();
    } catch (InterruptedException e) {
      throw new CompletionException(e);
    }
  }
}
