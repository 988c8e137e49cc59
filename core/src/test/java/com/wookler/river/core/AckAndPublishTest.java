package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.message.QueueFullException;
import com.wookler.river.core.message.QueueStatus;
import com.wookler.river.core.message.QueueStatusException;
import com.wookler.river.core.message.StaleReceiptException;
import com.wookler.river.core.subscriber.ContinuationTarget;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Position;
import com.wookler.river.core.subscriber.Settled;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.testing.KilledCopy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code Delivery.ackAndPublish}: both or neither. */
@Timeout(120)
class AckAndPublishTest {
  private static final Duration SOON = Duration.ofSeconds(30);

  @TempDir Path directory;

  private final ManualTimeSource time = new ManualTimeSource(Instant.parse("2026-11-20T10:00:00Z"));
  private final List<MessageQueue<?>> open = new ArrayList<>();
  private MessageQueue<String> orders;
  private MessageQueue<String> parcels;
  private Subscriber<String> packing;

  @AfterEach
  void close() {
    open.forEach(MessageQueue::close);
    open.clear();
  }

  private MessageQueue.Builder<String> builder(String name, Path base) {
    return MessageQueue.builder(name, MessageConverter.utf8()).directory(base).timeSource(time);
  }

  private MessageQueue<String> keep(MessageQueue.Builder<String> builder) {
    MessageQueue<String> opened = builder.open();
    open.add(0, opened);
    return opened;
  }

  private void open(Path base) {
    parcels = keep(builder("parcels", base));
    orders = keep(builder("orders", base).recycle(SizeBasedRecycle.ofMessages(20)));
    packing = orders.subscriber(config());
  }

  private static SubscriberConfig config() {
    return SubscriberConfig.builder("packing").ack(true).ackTimeout(Duration.ofSeconds(30)).build();
  }

  private static List<Message<String>> messages(String... data) {
    List<Message<String>> all = new ArrayList<>();
    for (String each : data) {
      all.add(Message.of(each));
    }
    return all;
  }

  private static List<String> all(MessageQueue<String> queue) {
    return queue.read(0, 10_000).stream().map(Delivery::data).toList();
  }

  private static <T> ContinuationTarget<T> refusing(RuntimeException why) {
    return (origin, oldest, messages) -> {
      throw why;
    };
  }

  @Test
  void shouldPublishAndAcknowledge() {
    open(directory);
    orders.publisher().publishAll(List.of("a", "b"));
    Delivery<String> first = packing.next();
    assertThat(first.ackAndPublish(parcels, messages("a1", "a2"))).isTrue();
    assertThat(first.ackAndPublish(parcels, messages("a1", "a2"))).isFalse(); // harmless
    first.ack();
    assertThat(packing.stats().acked()).isOne();
    assertThat(packing.stats().ackFloor()).isOne();
    Delivery<String> second = packing.next();
    assertThat(packing.ackAndPublish(second.receipt(), parcels, messages("b1")))
        .isEqualTo(Settled.OK);
    assertThat(packing.ackAndPublish(second.receipt(), parcels, messages("b1")))
        .isEqualTo(Settled.OK);
    assertThat(packing.ackAndPublish("nothing", parcels, messages("x"))).isEqualTo(Settled.UNKNOWN);
    assertThat(all(parcels)).containsExactly("a1", "a2", "b1");
    assertThat(packing.stats().lag()).isZero();
  }

  @Test
  void shouldContinueWithinOneQueue() {
    open(directory);
    orders.publisher().publish("a");
    packing.next().ackAndPublish(orders, messages("b"));
    Delivery<String> next = packing.next();
    assertThat(next.data()).isEqualTo("b");
    next.ackAndPublish(parcels, messages("c"));
    assertThat(packing.next()).isNull();
    assertThat(all(parcels)).containsExactly("c");
  }

  @Test
  void shouldPublishNothingForAStaleDelivery() throws Exception {
    open(directory);
    orders.publisher().publish("a");
    Delivery<String> stale = packing.next();
    String receipt = stale.receipt();
    time.advance(Duration.ofSeconds(31));
    Delivery<String> again = packing.next(SOON);
    assertThatThrownBy(() -> stale.ackAndPublish(parcels, messages("no")))
        .isInstanceOf(StaleReceiptException.class);
    assertThat(packing.ackAndPublish(receipt, parcels, messages("no"))).isEqualTo(Settled.STALE);
    again.nack(Duration.ZERO);
    assertThatThrownBy(() -> again.ackAndPublish(parcels, messages("no")))
        .isInstanceOf(StaleReceiptException.class);
    assertThat(all(parcels)).isEmpty();
    packing.next().ackAndPublish(parcels, messages("yes"));
    assertThat(all(parcels)).containsExactly("yes");
  }

  @Test
  void shouldNotCallContinuedWhatWasAcknowledgedWithoutIt() {
    open(directory);
    orders.publisher().publishAll(List.of("first", "second"));
    Delivery<String> first = packing.next();
    Delivery<String> second = packing.next();
    String receipt = first.receipt();
    first.ack();
    second.ackAndPublish(parcels, messages("parcel"));

    assertThatThrownBy(() -> first.ackAndPublish(parcels, messages("lost")))
        .isInstanceOf(StaleReceiptException.class);
    assertThat(packing.ackAndPublish(receipt, parcels, messages("lost"))).isEqualTo(Settled.STALE);
    assertThat(packing.ackAndPublish(second.receipt(), parcels, messages("parcel")))
        .isEqualTo(Settled.OK);
    second.ack(); // which repeats it
    assertThat(parcels.stats().nextSequence()).isEqualTo(1);
  }

  @Test
  void shouldBeInFlightAgainWhatCannotBePublished() {
    open(directory);
    orders.publisher().publish("a");
    Delivery<String> delivery = packing.next();
    assertThatThrownBy(
            () -> delivery.ackAndPublish(refusing(new QueueFullException("full")), messages("x")))
        .isInstanceOf(QueueFullException.class);
    assertThatThrownBy(() -> delivery.ackAndPublish(parcels, List.of()))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(packing.stats().inFlight()).isOne();
    assertThat(packing.next()).isNull();
    delivery.ackAndPublish(parcels, messages("a1"));
    assertThat(packing.stats().lag()).isZero();
    assertThat(all(parcels)).containsExactly("a1");
    Delivery<String> unacknowledged = orders.read(0).orElseThrow();
    assertThatThrownBy(() -> unacknowledged.ackAndPublish(parcels, messages("x")))
        .isInstanceOf(UnsupportedOperationException.class);
    Subscriber<String> plain = orders.subscriber("plain");
    Delivery<String> completed = plain.next();
    assertThatThrownBy(() -> completed.ackAndPublish(parcels, messages("x")))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("subscriber.ack.required");
  }

  @Test
  void shouldAcknowledgeLaterWhereTheQueueGoesDownMeanwhile() {
    open(directory);
    orders.publisher().publish("a");
    Delivery<String> delivery = packing.next();
    ContinuationTarget<String> target =
        (origin, oldest, messages) -> {
          boolean stored = parcels.publishContinuation(origin, oldest, messages);
          orders.status(QueueStatus.DOWN);
          return stored;
        };
    assertThatThrownBy(() -> delivery.ackAndPublish(target, messages("a1")))
        .isInstanceOf(QueueStatusException.class);
    orders.status(QueueStatus.UP);
    assertThat(packing.stats().inFlight()).isOne();
    assertThat(delivery.ackAndPublish(parcels, messages("a1"))).isFalse();
    assertThat(packing.stats().lag()).isZero();
    assertThat(all(parcels)).containsExactly("a1");
  }

  @Test
  void shouldContinueAgainWhatASeekDeliversAgain() {
    open(directory);
    orders.publisher().publish("a");
    packing.next().ackAndPublish(parcels, messages("first"));
    packing.seek(Position.earliest());
    assertThat(packing.next().ackAndPublish(parcels, messages("second"))).isTrue();
    Subscriber<String> other =
        orders.subscriber(SubscriberConfig.builder("other").ack(true).build());
    assertThat(other.next().ackAndPublish(parcels, messages("third"))).isTrue();
    orders.removeSubscriber("other");
    Subscriber<String> same =
        orders.subscriber(SubscriberConfig.builder("other").ack(true).build());
    assertThat(same.next().ackAndPublish(parcels, messages("fourth"))).isTrue();
    assertThat(all(parcels)).containsExactly("first", "second", "third", "fourth");
  }

  /** Published there, and killed before it was acknowledged here. */
  @Test
  void shouldLeaveOutWhatIsThereAfterAKill() throws Exception {
    Path data = directory.resolve("0");
    open(data);
    orders.publisher().publishAll(List.of("a", "b", "c"));
    Path left = directory.resolve("1");
    Delivery<String> a = packing.next();
    Delivery<String> b = packing.next();
    Delivery<String> c = packing.next();
    c.ackAndPublish(parcels, messages("c1")); // not in their order
    AtomicBoolean copied = new AtomicBoolean();
    ContinuationTarget<String> killing =
        (origin, oldest, messages) -> {
          boolean stored = parcels.publishContinuation(origin, oldest, messages);
          parcels.force();
          try {
            copied.set(KilledCopy.of(data, left));
            while (!copied.get()) {
              DataDirectory.deleteTree(left);
              copied.set(KilledCopy.of(data, left));
            }
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
          return stored;
        };
    assertThat(a.ackAndPublish(killing, messages("a1", "a2"))).isTrue();
    b.ack();
    close();

    open(left);
    assertThat(all(parcels)).containsExactly("c1", "a1", "a2");
    Delivery<String> again = packing.next();
    assertThat(again.data()).isEqualTo("a");
    assertThat(again.attempt()).isEqualTo(2);
    assertThat(again.ackAndPublish(parcels, messages("other"))).isFalse();
    assertThat(packing.next().ackAndPublish(parcels, messages("b1"))).isTrue();
    assertThat(packing.next()).isNull();
    assertThat(all(parcels)).containsExactly("c1", "a1", "a2", "b1");
  }

  @Test
  void shouldKnowWhatIsThereThoughTheFileIsMissing() throws Exception {
    open(directory);
    orders.publisher().publish("a");
    Delivery<String> delivery = packing.next();
    ContinuationTarget<String> half =
        (origin, oldest, messages) -> {
          parcels.publishContinuation(origin, oldest, messages);
          throw new IllegalStateException("after");
        };
    assertThatThrownBy(() -> delivery.ackAndPublish(half, messages("a1")))
        .isInstanceOf(IllegalStateException.class);
    close();
    Files.delete(directory.resolve("parcels/origins.json"));
    open(directory);
    assertThat(packing.next().ackAndPublish(parcels, messages("a1"))).isFalse();
    assertThat(all(parcels)).containsExactly("a1");
  }

  @Test
  void shouldLoseNothingAndStoreNothingTwiceThoughItIsKilledAgainAndAgain() throws Exception {
    Path data = directory.resolve("0");
    int messages = 300;
    open(data);
    for (int i = 0; i < messages; i++) {
      orders.publisher().publish("m" + i);
    }
    for (int kill = 1; kill <= 4; kill++) {
      AtomicBoolean stop = new AtomicBoolean();
      ExecutorService consumers = Executors.newFixedThreadPool(2);
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        all.add(
            consumers.submit(
                () -> {
                  for (Delivery<String> next = packing.next();
                      next != null && !stop.get();
                      next = packing.next()) {
                    next.ackAndPublish(parcels, messages(next.data() + ".1", next.data() + ".2"));
                  }
                }));
      }
      Path left = directory.resolve(String.valueOf(kill));
      await().until(() -> packing.stats().acked() >= 20);
      stop.set(true); // between two of them: a copy of a moment needs that
      KilledCopy.whole(data, left);
      for (Future<?> each : all) {
        each.get();
      }
      consumers.shutdown();
      close();
      data = left;
      open(data);
    }
    for (Delivery<String> next = packing.next(); next != null; next = packing.next()) {
      next.ackAndPublish(parcels, messages(next.data() + ".1", next.data() + ".2"));
    }
    List<String> stored = all(parcels);
    Set<String> expected = new TreeSet<>();
    for (int i = 0; i < messages; i++) {
      expected.add("m" + i + ".1");
      expected.add("m" + i + ".2");
    }
    assertThat(stored).hasSize(2 * messages);
    assertThat(new HashSet<>(stored)).isEqualTo(expected);
  }
}
