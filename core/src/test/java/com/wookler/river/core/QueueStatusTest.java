package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.core.message.QueueStatus;
import com.wookler.river.core.message.QueueStatusException;
import com.wookler.river.core.subscriber.Action;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Settled;
import com.wookler.river.core.subscriber.Settlement;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.testing.KilledCopy;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What each status of a queue refuses, and that it is kept. */
@Timeout(120)
class QueueStatusTest {
  private static final Duration ACK_TIMEOUT = Duration.ofSeconds(30);

  @TempDir Path directory;

  private final ManualTimeSource time = new ManualTimeSource(Instant.parse("2026-11-20T10:00:00Z"));
  private MessageQueue<String> queue;
  private Subscriber<String> billing;

  private MessageQueue.Builder<String> builder(Path base) {
    return MessageQueue.builder("orders", MessageConverter.utf8())
        .directory(base)
        .blockBytes(256 << 10)
        .maxMessageBytes(64 << 10)
        .syncInterval(Duration.ofMillis(1)) // so often housekeeping looks
        .timeSource(time);
  }

  @BeforeEach
  void open() {
    queue = builder(directory.resolve("0")).open();
    billing = billing();
  }

  @AfterEach
  void close() {
    queue.close();
  }

  private Subscriber<String> billing() {
    return queue.subscriber(
        SubscriberConfig.builder("billing").ack(true).ackTimeout(ACK_TIMEOUT).build());
  }

  private static boolean isRefused(Runnable call) {
    try {
      call.run();
      return false;
    } catch (QueueStatusException e) {
      assertThat(e).hasMessageContaining("queue orders").hasMessageContaining("" + e.status());
      return true;
    }
  }

  @ParameterizedTest
  @EnumSource(QueueStatus.class)
  void shouldAcceptPublishesIfTheStatusDoes(QueueStatus status) {
    queue.status(status);
    Publisher<String> publisher = queue.publisher();
    List<Message<String>> batch = List.of(Message.of("two"), Message.of("three"));
    List<Runnable> publishes =
        List.of(
            () -> publisher.publish("one"),
            () -> publisher.publishAll(List.of("two", "three")),
            () -> publisher.put(Message.of("one"), Durability.DISK),
            () -> publisher.putAll(batch, Durability.MEMORY),
            () -> publisher.publish(Message.of("later").deliverAfter(Duration.ofHours(1))),
            () -> queue.putFrom(Origin.of("table"), 1, Message.of("one"), Durability.MEMORY));
    for (Runnable publish : publishes) {
      assertThat(isRefused(publish)).isEqualTo(!status.accepts());
    }
    CompletableFuture<?> async = publisher.putAsync(batch, Durability.DISK);
    if (status.accepts()) {
      assertThat(async).succeedsWithin(1, TimeUnit.MINUTES);
    } else {
      assertThat(async)
          .failsWithin(1, TimeUnit.MINUTES)
          .withThrowableOfType(Exception.class)
          .withCauseInstanceOf(QueueStatusException.class);
      assertThat(queue.stats().nextSequence()).isZero();
      queue.status(QueueStatus.UP);
      assertThat(publisher.publish("one")).isZero();
    }
  }

  @ParameterizedTest
  @EnumSource(QueueStatus.class)
  void shouldDeliverIfTheStatusDoes(QueueStatus status) throws Exception {
    queue.publisher().publishAll(List.of("one", "two"));
    queue.status(status);
    List<String> seen = new ArrayList<>();
    assertThat(billing.peek(9)).hasSize(2);
    assertThat(queue.read(0)).isPresent();
    Delivery<String> delivery = billing.next();
    assertThat(delivery != null).isEqualTo(status.delivers());
    assertThat(billing.batch(9, Duration.ZERO)).hasSize(status.delivers() ? 1 : 0);
    billing.consume(
        9,
        Duration.ZERO,
        view -> {
          seen.add("seen");
          return Action.ACK;
        });
    assertThat(queue.subscriber("new").batch(9, Duration.ZERO)).hasSize(status.delivers() ? 2 : 0);
    assertThat(seen).isEmpty();
    queue.status(QueueStatus.UP);
    assertThat(billing.batch(9, Duration.ZERO)).hasSize(status.delivers() ? 0 : 2);
    assertThat(queue.subscriber("new").batch(9, Duration.ZERO)).hasSize(status.delivers() ? 0 : 2);
  }

  @ParameterizedTest
  @EnumSource(QueueStatus.class)
  void shouldAcceptAcknowledgementsIfTheStatusDoes(QueueStatus status) throws Exception {
    queue.publisher().publishAll(List.of("a", "b", "c", "d", "e", "f", "g"));
    List<Delivery<String>> out = new ArrayList<>();
    for (int i = 0; i < 7; i++) {
      out.add(billing.next());
    }
    queue.status(status);
    List<Runnable> verbs =
        List.of(
            out.get(0)::ack,
            out.get(1)::nack,
            out.get(2)::release,
            () -> out.get(3).reject("no"),
            () -> out.get(4).extend(ACK_TIMEOUT),
            () -> billing.ack(List.of(out.get(5))),
            () ->
                assertThat(billing.settle(List.of(out.get(6).receipt()), Settlement.ack()))
                    .containsExactly(Settled.OK),
            () -> billing.ackUpTo(out.get(0)));
    for (Runnable verb : verbs) {
      assertThat(isRefused(verb)).isEqualTo(!status.acknowledges());
    }
    if (!status.acknowledges()) {
      assertThat(billing.stats().inFlight()).isEqualTo(7);
      queue.status(QueueStatus.UP);
      verbs.forEach(Runnable::run); // each counts still
    }
    queue.status(QueueStatus.UP);
    await().untilAsserted(() -> assertThat(billing.stats().dead()).isOne());
    assertThat(billing.batch(9, Duration.ofSeconds(0)).stream().map(Delivery::data))
        .containsExactly("b", "c");
  }

  @ParameterizedTest
  @EnumSource(QueueStatus.class)
  void shouldDeliverAgainWhatTimesOutOnceTheStatusAllowsIt(QueueStatus status) {
    queue.publisher().publish("one");
    Delivery<String> first = billing.next();
    queue.status(status);
    time.advance(ACK_TIMEOUT.plusSeconds(1));
    Delivery<String> again = billing.next();
    assertThat(again != null).isEqualTo(status.delivers());
    queue.status(QueueStatus.UP);
    if (again == null) {
      again = billing.next();
    }
    assertThat(again.attempt()).isEqualTo(2);
    assertThat(again.sequence()).isEqualTo(first.sequence());
  }

  @ParameterizedTest
  @EnumSource(
      value = QueueStatus.class,
      names = {"QUIESCENT", "DOWN"})
  void shouldWakeConsumersThatWaitWhenItComesUp(QueueStatus status) throws Exception {
    queue.publisher().publish("one");
    queue.status(status);
    Subscriber<String> audit =
        queue.subscriber(SubscriberConfig.builder("audit").ack(true).build());
    CompletableFuture<List<Delivery<String>>> async = audit.batchAsync(9, Duration.ofDays(1));
    CompletableFuture<Delivery<String>> blocked = new CompletableFuture<>();
    Thread consumer =
        new Thread(
            () -> {
              try {
                blocked.complete(billing.next(Duration.ofDays(1)));
              } catch (InterruptedException e) {
                blocked.completeExceptionally(e);
              }
            });
    consumer.start();
    await().until(() -> consumer.getState() == Thread.State.TIMED_WAITING);
    time.advance(Duration.ofHours(1));
    assertThat(blocked).isNotDone();
    assertThat(async).isNotDone();
    queue.status(QueueStatus.READ_ONLY);
    assertThat(blocked.get(1, TimeUnit.MINUTES).data()).isEqualTo("one");
    assertThat(async.get(1, TimeUnit.MINUTES)).hasSize(1);
    consumer.join();
  }

  @ParameterizedTest
  @EnumSource(QueueStatus.class)
  void shouldHaveDelayedMessagesTakeTheirPlaceInAnyStatus(QueueStatus status) {
    queue.publisher().publish(Message.of("later").deliverAfter(Duration.ofMinutes(1)));
    queue.status(status);
    time.advance(Duration.ofMinutes(2));
    await().untilAsserted(() -> assertThat(queue.stats().nextSequence()).isEqualTo(2));
    assertThat(billing.next() != null).isEqualTo(status.delivers());
    queue.status(QueueStatus.UP);
    assertThat(billing.next() != null).isEqualTo(!status.delivers());
  }

  @ParameterizedTest
  @EnumSource(QueueStatus.class)
  void shouldKeepTheStatusAcrossReopeningAndKill(QueueStatus status) throws Exception {
    queue.publisher().publish(Message.of("later").deliverAfter(Duration.ofDays(1)));
    queue.status(status);
    Path killed = directory.resolve("1");
    KilledCopy.whole(directory.resolve("0"), killed);
    queue.close();
    for (Path base : List.of(directory.resolve("0"), killed)) {
      try (MessageQueue<String> again = builder(base).open()) {
        assertThat(again.status()).isEqualTo(status);
        assertThat(again.stats().status()).isEqualTo(status);
        assertThat(isRefused(() -> again.publisher().publish("one"))).isEqualTo(!status.accepts());
        again.publisher();
        again.status(QueueStatus.UP);
        again.publisher().publish("two");
      }
      try (MessageQueue<String> again = builder(base).open()) {
        assertThat(again.status()).isEqualTo(QueueStatus.UP);
      }
    }
    open();
  }

  @Test
  void shouldRefusePublishersThatWaitForCapacity() throws Exception {
    queue.close();
    queue =
        builder(directory.resolve("0"))
            .maxMessages(1)
            .whenFull(FullPolicy.BLOCK, Duration.ofDays(1))
            .open();
    billing = billing();
    queue.publisher().publish("one");
    CompletableFuture<Long> waiting =
        CompletableFuture.supplyAsync(() -> queue.publisher().publish("two"));
    queue.status(QueueStatus.READ_ONLY);
    assertThat(waiting)
        .failsWithin(1, TimeUnit.MINUTES)
        .withThrowableOfType(Exception.class)
        .withCauseInstanceOf(QueueStatusException.class);
    billing.next().ack();
    queue.status(QueueStatus.UP);
    assertThat(queue.publisher().publish("two")).isEqualTo(1);
  }

  @Test
  void shouldStoreNothingOnceTheStatusIsSet() throws Exception {
    AtomicBoolean stop = new AtomicBoolean();
    AtomicLong published = new AtomicLong();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      Thread publisher =
          new Thread(
              () -> {
                while (!stop.get()) {
                  if (isRefused(() -> queue.publisher().publish("one"))) {
                    time.park(this, 50_000); // the processors are for those who publish
                  } else {
                    published.incrementAndGet();
                  }
                }
              });
      publisher.start();
      threads.add(publisher);
    }
    for (int i = 0; i < 100; i++) {
      queue.status(i % 2 == 0 ? QueueStatus.READ_ONLY : QueueStatus.DOWN);
      long end = queue.stats().nextSequence();
      time.park(this, 500_000); // others may publish now
      assertThat(queue.stats().nextSequence()).isEqualTo(end);
      queue.status(QueueStatus.UP);
      await()
          .pollInterval(Duration.ofMillis(1))
          .until(() -> queue.stats().nextSequence() > end || stop.get());
    }
    stop.set(true);
    for (Thread publisher : threads) {
      publisher.join();
    }
    assertThat(queue.stats().nextSequence()).isEqualTo(published.get());
  }

  @Test
  void shouldReportChangesToListeners() {
    List<String> heard = new CopyOnWriteArrayList<>();
    queue.addListener(
        new QueueListener() {
          @Override
          public void statusChanged(QueueStatus before, QueueStatus now) {
            heard.add(before + " " + now);
          }
        });
    queue.status(QueueStatus.UP);
    queue.status(QueueStatus.QUIESCENT);
    queue.status(QueueStatus.QUIESCENT);
    queue.status(QueueStatus.UP);
    await().untilAsserted(() -> assertThat(heard).containsExactly("UP QUIESCENT", "QUIESCENT UP"));
  }

  @Test
  void shouldRefuseTheStatusOfAClosedQueue() {
    queue.close();
    assertThatThrownBy(() -> queue.status(QueueStatus.DOWN))
        .isInstanceOf(QueueClosedException.class);
  }
}
