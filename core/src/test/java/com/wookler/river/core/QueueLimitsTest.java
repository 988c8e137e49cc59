package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.core.message.QueueFullException;
import com.wookler.river.core.message.StaleReceiptException;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Position;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.testing.Aside;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a queue does that holds as much as its limits allow. */
@Timeout(120)
class QueueLimitsTest {
  private static final Duration LONG = Duration.ofMinutes(5);

  @TempDir Path directory;

  private MessageQueue<String> queue;

  @AfterEach
  void close() {
    if (queue != null) {
      queue.close();
    }
  }

  private MessageQueue.Builder<String> builder() {
    return MessageQueue.builder("orders", MessageConverter.utf8()).directory(directory);
  }

  private MessageQueue<String> open(long maxMessages, FullPolicy policy, Duration timeout) {
    queue = builder().maxMessages(maxMessages).whenFull(policy, timeout).open();
    return queue;
  }

  private Subscriber<String> acking(String name) {
    return queue.subscriber(SubscriberConfig.builder(name).ack(true).build());
  }

  private void publish(int messages) {
    for (int i = 0; i < messages; i++) {
      queue.publisher().publish("m" + queue.stats().nextSequence());
    }
  }

  private void assertFull() {
    long end = queue.stats().nextSequence();
    assertThatThrownBy(() -> publish(1))
        .isInstanceOf(QueueFullException.class)
        .hasMessageContaining("orders");
    assertThat(queue.stats().nextSequence()).isEqualTo(end);
  }

  private static List<Long> sequences(List<Delivery<String>> deliveries) {
    return deliveries.stream().map(Delivery::sequence).toList();
  }

  private static List<Long> range(long from, long end) {
    return LongStream.range(from, end).boxed().toList();
  }

  @Test
  void shouldNotCountWhatWasRemoved() throws InterruptedException {
    open(3, FullPolicy.REJECT, Duration.ZERO);
    publish(3);
    assertFull();
    assertThat(queue.trim(Trim.toCount(0))).isEqualTo(3);
    publish(3); // also without subscribers, in a block that stays
    assertFull();
    assertThat(queue.delete(3, 6)).isEqualTo(3);
    Subscriber<String> packing = acking("packing");
    publish(3);
    Delivery<String> held = packing.next();
    assertThat(held).isNotNull();
    assertFull();
    assertThat(queue.cancel(held.sequence() + 1)).isTrue();
    publish(1);
    assertFull();
    assertThat(packing.batch(9, Duration.ZERO)).hasSize(2);
  }

  @Test
  void shouldCountWhatTheSlowestSubscriberNeeds() throws InterruptedException {
    open(3, FullPolicy.REJECT, Duration.ZERO);
    Subscriber<String> slow = acking("slow");
    Subscriber<String> fast = queue.subscriber("fast");
    publish(3);
    assertThat(fast.batch(10, Duration.ZERO)).hasSize(3);
    assertFull();
    Delivery<String> first = slow.next();
    Delivery<String> second = slow.next();
    assertFull();
    second.ack(); // the first one still stands before it
    assertFull();
    first.ack();
    publish(2);
    assertFull();
    assertThat(queue.removeSubscriber("slow")).isTrue();
    publish(1);
    assertFull();
  }

  @Test
  void shouldCountWhatIsInTheLogWithoutSubscribers() {
    open(3, FullPolicy.REJECT, Duration.ZERO);
    publish(3);
    assertFull();
    assertThat(queue.subscriber("late").next().sequence()).isZero();
    publish(1);
    assertFull();
  }

  @Test
  void shouldRefuseEveryWayOfPublishing() {
    open(1, FullPolicy.REJECT, Duration.ZERO);
    publish(1);
    Publisher<String> publisher = queue.publisher();
    assertThatThrownBy(() -> publisher.publish(Message.of("m")))
        .isInstanceOf(QueueFullException.class);
    assertThatThrownBy(() -> publisher.publishAll(List.of("m")))
        .isInstanceOf(QueueFullException.class);
    assertThatThrownBy(() -> publisher.putAll(List.of(Message.of("m")), Durability.MEMORY))
        .isInstanceOf(QueueFullException.class);
    assertThatThrownBy(() -> publisher.put(Message.of("m"), Durability.DISK))
        .isInstanceOf(QueueFullException.class);
    assertThat(publisher.putAsync(List.of(Message.of("m")), Durability.MEMORY))
        .isCompletedExceptionally();
    assertThat(queue.stats().nextSequence()).isEqualTo(1);
  }

  @Test
  void shouldCountBytesWithTheirEnvelopes() {
    String kilobyte = "x".repeat(1_000 - 32 - 9);
    queue = builder().maxBytes(10_000).open();
    Subscriber<String> billing = acking("billing");
    for (int i = 0; i < 10; i++) {
      queue.publisher().publish(kilobyte);
    }
    assertFull();
    billing.next().ack();
    queue.publisher().publish(kilobyte);
    assertFull();
    for (int i = 0; i < 10; i++) {
      billing.next().ack();
    }
    queue.publisher().publish("y".repeat(10_000 - 32 - 9)); // as large as the queue
    assertFull();
  }

  @Test
  void shouldKeepItsLimitsAcrossARestart() {
    open(5, FullPolicy.REJECT, Duration.ZERO);
    Subscriber<String> billing = acking("billing");
    publish(5);
    billing.next().ack();
    queue.close();
    queue = builder().maxMessages(5).maxBytes(1 << 20).open();
    publish(1);
    assertFull();
    queue.close();
    queue = builder().maxBytes(100).open();
    assertFull();
    queue.subscriber("billing").purge();
    publish(1);
  }

  @Test
  void shouldCountAgainWhatASubscriberGoesBackTo() {
    open(5, FullPolicy.REJECT, Duration.ZERO);
    Subscriber<String> billing = acking("billing");
    publish(3);
    billing.purge();
    publish(1);
    billing.seek(Position.earliest());
    await().until(() -> catchThrowable(() -> publish(1)) != null);
    assertThat(queue.stats().nextSequence()).isBetween(5L, 9L);
    assertFull();
  }

  @ParameterizedTest
  @EnumSource(FullPolicy.class)
  void shouldRefuseABatchAtOnceThatCanNeverFit(FullPolicy policy) {
    open(3, policy, LONG);
    assertThatThrownBy(() -> queue.publisher().publishAll(List.of("1", "2", "3", "4")))
        .isInstanceOf(QueueFullException.class)
        .hasMessageContaining("can never fit");
    assertThat(queue.publisher().publishAll(List.of("1", "2", "3"))).isZero();
  }

  @Test
  void shouldStoreABatchWholeOrNotAtAll() {
    open(3, FullPolicy.REJECT, Duration.ZERO);
    publish(2);
    assertThatThrownBy(() -> queue.publisher().publishAll(List.of("1", "2")))
        .isInstanceOf(QueueFullException.class);
    publish(1);
    assertFull();
  }

  @Test
  void shouldWaitUntilThereIsRoom() throws Exception {
    open(2, FullPolicy.BLOCK, LONG);
    Subscriber<String> billing = acking("billing");
    publish(2);
    CompletableFuture<Long> third = Aside.supply(() -> queue.publisher().publish("third"));
    await().during(Duration.ofMillis(100)).until(() -> !third.isDone());
    billing.next().ack();
    assertThat(third.get()).isEqualTo(2);
    assertThat(billing.batch(5, Duration.ZERO)).hasSize(2);
  }

  @Test
  void shouldWaitNoLongerThanItsTimeout() {
    ManualTimeSource time = new ManualTimeSource(Instant.parse("2026-11-20T10:00:00Z"));
    queue =
        builder()
            .maxMessages(1)
            .whenFull(FullPolicy.BLOCK, Duration.ofSeconds(30))
            .timeSource(time)
            .open();
    publish(1);
    CompletableFuture<Throwable> refused = Aside.supply(() -> catchThrowable(() -> publish(1)));
    time.advance(Duration.ofSeconds(20));
    await().during(Duration.ofMillis(100)).until(() -> !refused.isDone());
    await()
        .until(
            () -> {
              time.advance(Duration.ofSeconds(1));
              return refused.isDone();
            });
    assertThat(refused.join()).isInstanceOf(QueueFullException.class).hasMessageContaining("PT30S");
    assertThat(queue.stats().nextSequence()).isEqualTo(1);
  }

  @Test
  void shouldEndTheWaitOfAnInterruptedThreadAndLeaveItsFlag() throws Exception {
    open(1, FullPolicy.BLOCK, LONG);
    publish(1);
    AtomicReference<Throwable> refused = new AtomicReference<>();
    AtomicBoolean flag = new AtomicBoolean();
    Thread publisher =
        new Thread(
            () -> {
              refused.set(catchThrowable(() -> publish(1)));
              flag.set(Thread.currentThread().isInterrupted());
            });
    publisher.start();
    await().until(() -> publisher.getState() == Thread.State.TIMED_WAITING);
    publisher.interrupt();
    publisher.join();
    assertThat(refused.get()).isInstanceOf(QueueFullException.class);
    assertThat(flag).isTrue();
    assertThat(queue.stats().nextSequence()).isEqualTo(1);
  }

  @Test
  void shouldEndTheWaitWhenTheQueueIsClosed() {
    open(1, FullPolicy.BLOCK, LONG);
    publish(1);
    Publisher<String> publisher = queue.publisher();
    CompletableFuture<Throwable> refused =
        Aside.supply(() -> catchThrowable(() -> publisher.publish("late")));
    await().during(Duration.ofMillis(50)).until(() -> !refused.isDone());
    queue.close();
    assertThat(refused.join()).isInstanceOf(QueueClosedException.class);
  }

  @Test
  void shouldNeverHoldMoreThanItsLimitAndNeverStandStill() {
    open(3, FullPolicy.BLOCK, LONG);
    Subscriber<String> billing = acking("billing");
    int publishers = 4;
    int each = 2_000;
    List<CompletableFuture<Void>> work = new ArrayList<>();
    for (int p = 0; p < publishers; p++) {
      work.add(
          Aside.run(
              () ->
                  IntStream.range(0, each)
                      .forEach(
                          i -> {
                            if (i % 3 == 0) {
                              queue.publisher().publishAll(List.of("1", "2", "3"));
                            } else {
                              queue.publisher().publish("1");
                            }
                          })));
    }
    long all = (long) publishers * IntStream.range(0, each).map(i -> i % 3 == 0 ? 3 : 1).sum();
    long most = 0;
    for (long i = 0; i < all; i++) {
      Delivery<String> delivery = next(billing);
      assertThat(delivery.sequence()).isEqualTo(i);
      most = Math.max(most, queue.stats().nextSequence() - i);
      delivery.ack();
    }
    work.forEach(CompletableFuture::join);
    assertThat(most).isEqualTo(3);
    assertThat(billing.stats().lag()).isZero();
  }

  private static Delivery<String> next(Subscriber<String> subscriber) {
    try {
      return subscriber.next(Duration.ofSeconds(30));
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void shouldGiveUpTheOldestAndCountThem() throws InterruptedException {
    open(5, FullPolicy.DISCARD_OLDEST, Duration.ZERO);
    Subscriber<String> slow = acking("slow");
    Subscriber<String> fast = queue.subscriber("fast");
    publish(4);
    assertThat(fast.batch(10, Duration.ZERO)).hasSize(4);
    Delivery<String> out = slow.next();
    publish(4); // 0 to 2 give way
    assertThat(queue.stats().discarded()).isEqualTo(3);
    assertThat(slow.stats().ackFloor()).isEqualTo(3);
    assertThat(slow.stats().discarded()).isEqualTo(3);
    assertThat(slow.stats().lag()).isEqualTo(5);
    assertThat(slow.stats().inFlight()).isZero();
    assertThatThrownBy(out::ack).isInstanceOf(StaleReceiptException.class);
    assertThat(sequences(slow.batch(10, Duration.ZERO))).isEqualTo(range(3, 8));
    assertThat(sequences(fast.batch(10, Duration.ZERO))).isEqualTo(range(4, 8));
    assertThat(fast.stats().discarded()).isZero();
    assertThat(queue.stats().discarded()).isEqualTo(3);
  }

  @Test
  void shouldCountForALaterSubscriberWhatWasGivenUpBefore() {
    open(5, FullPolicy.DISCARD_OLDEST, Duration.ZERO);
    publish(8); // 0 to 2 give way, and their block stays
    assertThat(queue.stats().discarded()).isZero();
    assertThat(acking("late").next().sequence()).isEqualTo(3);
    assertThat(queue.stats().discarded()).isEqualTo(3);
  }

  @Test
  void shouldGiveUpTheOldestBytes() throws InterruptedException {
    String kilobyte = "x".repeat(1_000 - 32 - 9);
    queue = builder().maxBytes(10_000).whenFull(FullPolicy.DISCARD_OLDEST, Duration.ZERO).open();
    Subscriber<String> slow = acking("slow");
    for (int i = 0; i < 25; i++) {
      queue.publisher().publish(kilobyte);
    }
    assertThat(sequences(slow.batch(100, Duration.ZERO))).isEqualTo(range(15, 25));
    assertThat(queue.stats().discarded()).isEqualTo(15);
  }

  @Test
  void shouldFreeTheBlocksOfWhatItGaveUp() {
    queue =
        builder()
            .recycle(SizeBasedRecycle.ofMessages(10))
            .maxMessages(15)
            .whenFull(FullPolicy.DISCARD_OLDEST, Duration.ZERO)
            .open();
    publish(41); // nobody has subscribed
    await().until(() -> queue.stats().firstSequence() == 20);
    assertThat(queue.stats().discarded()).isEqualTo(20);
    acking("closed").close();
    acking("open");
    publish(20);
    await().until(() -> queue.stats().firstSequence() == 40);
    assertThat(acking("closed").next().sequence()).isEqualTo(46);
    assertThat(acking("open").next().sequence()).isEqualTo(46);
    assertThat(queue.stats().discarded()).isEqualTo(20 + 2 * 26);
  }

  @Test
  void shouldTellListenersOnceThatItIsFull() {
    open(10, FullPolicy.REJECT, Duration.ZERO);
    Queue<String> told = new ConcurrentLinkedQueue<>();
    queue.addListener(
        new QueueListener() {
          @Override
          public void full(String why) {
            told.add(why);
          }
        });
    Subscriber<String> billing = acking("billing");
    publish(10);
    assertFull();
    await().until(() -> told.size() == 1);
    assertFull();
    assertThat(told.peek()).contains("orders").contains("queue.max.messages=10");
    billing.purge();
    publish(10);
    assertFull();
    billing.purge();
    await().during(Duration.ofMillis(1_500)).until(() -> told.size() == 1);
    publish(10);
    assertFull();
    await().until(() -> told.size() == 2);
  }
}
