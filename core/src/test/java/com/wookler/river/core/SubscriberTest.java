package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.core.message.StaleReceiptException;
import com.wookler.river.core.message.Terms;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Position;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The rules of delivery, on a clock that the tests move. */
@Timeout(120)
class SubscriberTest {
  private static final Duration ACK_TIMEOUT = Duration.ofSeconds(30);
  private static final Instant START = Instant.parse("2026-11-20T10:00:00Z");

  @TempDir Path directory;

  private final ManualTimeSource time = new ManualTimeSource(START);
  private final List<MessageQueue<?>> open = new ArrayList<>();

  @AfterEach
  void close() {
    open.forEach(MessageQueue::close);
  }

  private MessageQueue.Builder<String> builder() {
    return MessageQueue.builder("orders", MessageConverter.utf8())
        .directory(directory)
        .timeSource(time);
  }

  private <M> MessageQueue<M> open(MessageQueue.Builder<M> builder) {
    MessageQueue<M> queue = builder.open();
    open.add(queue);
    return queue;
  }

  private MessageQueue<String> queueWith(int messages) {
    MessageQueue<String> queue = open(builder());
    publish(queue, messages);
    return queue;
  }

  private static void publish(MessageQueue<String> queue, int messages) {
    for (int i = 0; i < messages; i++) {
      queue.publisher().publish("m" + i);
    }
  }

  private static SubscriberConfig.Builder billing() {
    return SubscriberConfig.builder("billing").ack(true).ackTimeout(ACK_TIMEOUT);
  }

  private static List<Long> drain(Subscriber<?> subscriber) {
    List<Long> sequences = new ArrayList<>();
    for (Delivery<?> next = subscriber.next(); next != null; next = subscriber.next()) {
      sequences.add(next.sequence());
    }
    return sequences;
  }

  @Test
  void shouldRedeliverWhenAckTimeoutPasses() {
    Subscriber<String> subscriber = queueWith(1).subscriber(billing().build());
    Delivery<String> first = subscriber.next();
    assertThat(first.attempt()).isEqualTo(1);

    time.advance(ACK_TIMEOUT.minusMillis(2));
    assertThat(subscriber.next()).isNull();
    time.advance(Duration.ofMillis(2));

    Delivery<String> second = subscriber.next();
    assertThat(second.sequence()).isZero();
    assertThat(second.attempt()).isEqualTo(2);
    assertThat(second.data()).isEqualTo("m0");
    assertThat(second.receipt()).isNotEqualTo(first.receipt());
    time.advance(ACK_TIMEOUT);
    assertThat(subscriber.next().attempt()).isEqualTo(3);
    assertThat(subscriber.stats().redelivered()).isEqualTo(2);
  }

  @Test
  void shouldNotRedeliverWhatWasAcknowledged() {
    Subscriber<String> subscriber = queueWith(3).subscriber(billing().build());
    subscriber.next();
    subscriber.next().ack();
    time.advance(ACK_TIMEOUT.multipliedBy(2));
    assertThat(drain(subscriber)).containsExactly(0L, 2L);
    time.advance(ACK_TIMEOUT.multipliedBy(2));
    assertThat(drain(subscriber)).containsExactly(0L, 2L);
  }

  @Test
  void shouldHandOutRedeliveriesBeforeWhatIsNew() {
    Subscriber<String> subscriber = queueWith(5).subscriber(billing().build());
    subscriber.next();
    subscriber.next();
    subscriber.next();
    time.advance(ACK_TIMEOUT);
    List<Integer> attempts = new ArrayList<>();
    List<Long> sequences = new ArrayList<>();
    for (Delivery<String> next = subscriber.next(); next != null; next = subscriber.next()) {
      sequences.add(next.sequence());
      attempts.add(next.attempt());
    }
    assertThat(sequences).containsExactly(0L, 1L, 2L, 3L, 4L);
    assertThat(attempts).containsExactly(2, 2, 2, 1, 1);
  }

  @Test
  void shouldLetOnlyTheLatestReceiptDecide() {
    Subscriber<String> subscriber = queueWith(1).subscriber(billing().build());
    Delivery<String> first = subscriber.next();
    time.advance(ACK_TIMEOUT);
    Delivery<String> second = subscriber.next();

    assertThatThrownBy(first::ack)
        .isInstanceOf(StaleReceiptException.class)
        .hasMessageContaining("orders")
        .hasMessageContaining("billing")
        .hasMessageContaining("sequence 0");
    assertThatThrownBy(() -> first.nack(Duration.ZERO)).isInstanceOf(StaleReceiptException.class);
    assertThatThrownBy(first::release).isInstanceOf(StaleReceiptException.class);
    assertThatThrownBy(() -> first.extend(Duration.ofHours(1)))
        .isInstanceOf(StaleReceiptException.class);
    assertThatThrownBy(() -> subscriber.ackUpTo(first)).isInstanceOf(StaleReceiptException.class);
    assertThat(subscriber.stats().inFlight()).isEqualTo(1);
    assertThat(subscriber.stats().ackFloor()).isZero();
    assertThat(subscriber.next()).isNull();

    second.ack();
    assertThat(subscriber.stats().ackFloor()).isEqualTo(1);
    assertThat(subscriber.stats().acked()).isEqualTo(1);
    second.ack();
    assertThat(subscriber.stats().acked()).isEqualTo(1);
    assertThatThrownBy(first::ack).isInstanceOf(StaleReceiptException.class);
    assertThatThrownBy(() -> second.nack(Duration.ZERO)).isInstanceOf(StaleReceiptException.class);
  }

  @Test
  void shouldStillTakeAnAckAfterTheTimeoutWhileNobodyElseHasTheMessage() {
    Subscriber<String> subscriber = queueWith(1).subscriber(billing().build());
    Delivery<String> first = subscriber.next();
    time.advance(ACK_TIMEOUT.multipliedBy(3));
    first.ack();
    assertThat(subscriber.next()).isNull();
    assertThat(subscriber.stats().lag()).isZero();
  }

  @Test
  void shouldAcknowledgeAllButTheStaleOnesOfSeveral() {
    Subscriber<String> subscriber = queueWith(3).subscriber(billing().build());
    List<Delivery<String>> some = new ArrayList<>();
    some.add(subscriber.next());
    time.advance(ACK_TIMEOUT);
    Delivery<String> again = subscriber.next();
    some.add(subscriber.next());
    some.add(subscriber.next());
    assertThatThrownBy(() -> subscriber.ack(some)).isInstanceOf(StaleReceiptException.class);
    assertThat(subscriber.stats().acked()).isEqualTo(2);
    again.ack();
    assertThat(subscriber.stats().lag()).isZero();
  }

  @Test
  void shouldDeliverAgainAfterTheDelayOfANack() {
    Subscriber<String> subscriber = queueWith(1).subscriber(billing().build());
    Delivery<String> first = subscriber.next();
    first.nack(Duration.ofMinutes(5));
    first.nack(Duration.ofMinutes(9)); // repeated: harmless
    assertThatThrownBy(first::ack).isInstanceOf(StaleReceiptException.class);
    assertThat(subscriber.stats().inFlight()).isZero();
    assertThat(subscriber.stats().lag()).isEqualTo(1);

    time.advance(Duration.ofMinutes(5).minusMillis(2));
    assertThat(subscriber.next()).isNull();
    time.advance(Duration.ofMillis(2));
    Delivery<String> second = subscriber.next();
    assertThat(second.attempt()).isEqualTo(2);
    second.nack(Duration.ZERO);
    assertThat(subscriber.next().attempt()).isEqualTo(3);
    assertThatThrownBy(() -> second.nack(Duration.ofMillis(-1)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void shouldNotCountTheAttemptOfARelease() {
    Subscriber<String> subscriber = queueWith(1).subscriber(billing().build());
    Delivery<String> first = subscriber.next();
    first.release();
    assertThatThrownBy(first::ack).isInstanceOf(StaleReceiptException.class);
    Delivery<String> again = subscriber.next();
    assertThat(again.attempt()).isEqualTo(1);
    again.nack(Duration.ZERO);
    Delivery<String> second = subscriber.next();
    assertThat(second.attempt()).isEqualTo(2);
    second.release();
    assertThat(subscriber.next().attempt()).isEqualTo(2);
  }

  @Test
  void shouldGiveMoreOrLessTimeWhenExtended() {
    Subscriber<String> subscriber = queueWith(2).subscriber(billing().build());
    Delivery<String> longer = subscriber.next();
    Delivery<String> shorter = subscriber.next();
    longer.extend(Duration.ofMinutes(10));
    shorter.extend(Duration.ofSeconds(1));
    time.advance(Duration.ofSeconds(1));
    assertThat(drain(subscriber)).containsExactly(1L);
    time.advance(ACK_TIMEOUT);
    assertThat(drain(subscriber)).containsExactly(1L);
    longer.extend(Duration.ofMinutes(10));
    time.advance(Duration.ofMinutes(10).minusMillis(2));
    assertThat(drain(subscriber)).containsExactly(1L);
    time.advance(Duration.ofMillis(2));
    assertThat(drain(subscriber)).containsExactly(0L);
    assertThatThrownBy(() -> longer.extend(Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void shouldExtendByTwelveHoursInTotalAtMost() {
    Subscriber<String> subscriber = queueWith(1).subscriber(billing().build());
    Delivery<String> delivery = subscriber.next();
    for (int hour = 0; hour < 12; hour++) {
      delivery.extend(Duration.ofHours(2));
      assertThat(subscriber.next()).isNull();
      time.advance(Duration.ofHours(1));
    }
    assertThat(subscriber.next().attempt()).isEqualTo(2);
  }

  @Test
  void shouldHandOutNothingNewAtTheInFlightLimit() throws InterruptedException {
    Subscriber<String> subscriber = queueWith(10).subscriber(billing().maxInFlight(3).build());
    List<Delivery<String>> taken = subscriber.batch(100, Duration.ZERO);
    assertThat(taken).hasSize(3);
    assertThat(subscriber.next()).isNull();
    taken.get(1).ack();
    assertThat(subscriber.next().sequence()).isEqualTo(3);
    assertThat(subscriber.next()).isNull();
    taken.get(0).nack(Duration.ofHours(1));
    assertThat(subscriber.next().sequence()).isEqualTo(4);
    assertThat(subscriber.next()).isNull();
    time.advance(ACK_TIMEOUT);
    assertThat(drain(subscriber)).containsExactly(2L, 3L, 4L);
  }

  @Test
  void shouldStopReadingAheadWhileOneMessageIsStuckAndTheWindowIsFull() {
    Subscriber<String> subscriber =
        queueWith(30).subscriber(billing().maxInFlight(5).window(10).build());
    Delivery<String> stuck = subscriber.next();
    for (int i = 1; i < 10; i++) {
      subscriber.next().ack();
    }
    assertThat(subscriber.next()).isNull();
    assertThat(subscriber.stats().lag()).isEqualTo(21);
    stuck.nack(Duration.ZERO);
    stuck = subscriber.next(); // what is due comes all the same
    assertThat(stuck.sequence()).isZero();
    assertThat(subscriber.next()).isNull();
    stuck.ack();
    assertThat(subscriber.next().sequence()).isEqualTo(10);
  }

  @Test
  void shouldFinishEverythingUpToADelivery() throws InterruptedException {
    Subscriber<String> subscriber = queueWith(10).subscriber(billing().build());
    List<Delivery<String>> taken = subscriber.batch(6, Duration.ZERO);
    taken.get(2).ack();
    subscriber.ackUpTo(taken.get(4));
    subscriber.ackUpTo(taken.get(4));
    assertThat(subscriber.stats().ackFloor()).isEqualTo(5);
    assertThat(subscriber.stats().acked()).isEqualTo(5);
    assertThat(subscriber.stats().inFlight()).isEqualTo(1);
    time.advance(ACK_TIMEOUT);
    assertThat(subscriber.next().sequence()).isEqualTo(5);
  }

  @Test
  void shouldFinishAtTheHandOverWithoutAck() {
    MessageQueue<String> queue = queueWith(3);
    Subscriber<String> audit = queue.subscriber("audit");
    Delivery<String> first = audit.next();
    first.ack();
    first.nack(Duration.ZERO);
    first.release();
    first.extend(Duration.ofHours(1));
    audit.ackUpTo(first);
    audit.ack(List.of(first));
    time.advance(Duration.ofDays(1));
    assertThat(drain(audit)).containsExactly(1L, 2L);
    assertThat(audit.stats().ackFloor()).isEqualTo(3);
    assertThat(audit.stats().lag()).isZero();
  }

  @Test
  void shouldRefuseDeliveriesOfAnotherSubscriber() {
    MessageQueue<String> queue = queueWith(1);
    Subscriber<String> subscriber = queue.subscriber(billing().build());
    Delivery<String> other = queue.subscriber("audit").next();
    assertThatThrownBy(() -> subscriber.ack(other))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("billing");
  }

  @Test
  void shouldVoidWhatIsOutAndDeliverAnewAfterASeek() {
    MessageQueue<String> queue = queueWith(10);
    Subscriber<String> subscriber = queue.subscriber(billing().build());
    Delivery<String> out = subscriber.next();
    subscriber.next().ack();
    subscriber.seek(Position.sequence(7));
    assertThatThrownBy(out::ack).isInstanceOf(StaleReceiptException.class);
    assertThat(subscriber.stats().ackFloor()).isEqualTo(7);
    assertThat(drain(subscriber)).containsExactly(7L, 8L, 9L);
    subscriber.seek(Position.earliest());
    Delivery<String> first = subscriber.next();
    assertThat(first.sequence()).isZero();
    assertThat(first.attempt()).isEqualTo(1);
    subscriber.seek(Position.latest());
    assertThat(subscriber.next()).isNull();
    time.advance(ACK_TIMEOUT);
    assertThat(subscriber.next()).isNull();
    queue.publisher().publish("new");
    assertThat(subscriber.next().sequence()).isEqualTo(10);
    subscriber.seek(Position.sequence(1_000));
    assertThat(subscriber.stats().lag()).isZero();
  }

  @Test
  void shouldSeekWithoutAckToo() {
    Subscriber<String> audit = queueWith(5).subscriber("audit");
    assertThat(drain(audit)).hasSize(5);
    audit.seek(Position.sequence(3));
    assertThat(drain(audit)).containsExactly(3L, 4L);
    audit.seek(Position.earliest());
    assertThat(drain(audit)).hasSize(5);
  }

  @Test
  void shouldKeepWhereASeekWentAcrossAReopening() {
    MessageQueue<String> queue = queueWith(10);
    queue.subscriber(billing().build()).seek(Position.sequence(6));
    queue.subscriber("audit").seek(Position.sequence(8));
    queue.close();
    queue = open(builder());
    assertThat(queue.subscriber("billing").next().sequence()).isEqualTo(6);
    assertThat(queue.subscriber("audit").next().sequence()).isEqualTo(8);
  }

  @Test
  void shouldSkipToTheEndWhenPurged() {
    MessageQueue<String> queue = queueWith(10);
    Subscriber<String> subscriber = queue.subscriber(billing().build());
    Delivery<String> out = subscriber.next();
    subscriber.next().ack();
    assertThat(subscriber.purge()).isEqualTo(9);
    assertThatThrownBy(out::ack).isInstanceOf(StaleReceiptException.class);
    assertThat(subscriber.next()).isNull();
    assertThat(subscriber.stats().lag()).isZero();
    assertThat(subscriber.purge()).isZero();
  }

  @Test
  void shouldHandOutNothingWhilePaused() {
    Subscriber<String> subscriber = queueWith(3).subscriber(billing().build());
    Delivery<String> out = subscriber.next();
    subscriber.pause();
    assertThat(subscriber.next()).isNull();
    time.advance(ACK_TIMEOUT);
    assertThat(subscriber.next()).isNull();
    out.ack();
    subscriber.resume();
    assertThat(drain(subscriber)).containsExactly(1L, 2L);
  }

  @Test
  void shouldStartWhereItIsTold() {
    MessageQueue<String> queue = open(builder());
    for (int i = 0; i < 10; i++) {
      queue.publisher().publish("m" + i);
      time.advance(Duration.ofSeconds(1));
    }
    assertThat(first(queue, "earliest", Position.earliest())).isZero();
    assertThat(first(queue, "sequence", Position.sequence(4))).isEqualTo(4);
    assertThat(first(queue, "time", Position.time(START.plusSeconds(6)))).isEqualTo(6);
    assertThat(first(queue, "between", Position.time(START.plusMillis(6_001)))).isEqualTo(7);
    assertThat(first(queue, "nanos", Position.time(START.plusSeconds(6).plusNanos(1))))
        .isEqualTo(7);
    assertThat(first(queue, "before", Position.time(START.minusSeconds(6)))).isZero();
    assertThat(first(queue, "latest", Position.latest())).isEqualTo(-1);
    assertThat(first(queue, "future", Position.time(START.plusSeconds(60)))).isEqualTo(-1);
    queue.publisher().publish("new");
    assertThat(queue.subscriber("latest").next().sequence()).isEqualTo(10);
    assertThat(queue.subscriber("future").next().sequence()).isEqualTo(10);
  }

  private static long first(MessageQueue<String> queue, String name, Position start) {
    Delivery<String> first =
        queue.subscriber(SubscriberConfig.builder(name).start(start).build()).next();
    return first == null ? -1 : first.sequence();
  }

  @Test
  void shouldKeepALatestStartAcrossAReopening() {
    MessageQueue<String> queue = queueWith(5);
    queue.subscriber(SubscriberConfig.builder("late").start(Position.latest()).build());
    queue.close();
    queue = open(builder());
    publish(queue, 1);
    assertThat(
            drain(
                queue.subscriber(
                    SubscriberConfig.builder("late").start(Position.earliest()).build())))
        .containsExactly(5L);
  }

  @Test
  void shouldServeSubscribersAtTheirOwnSpeeds() throws InterruptedException {
    MessageQueue<String> queue = open(builder().recycle(SizeBasedRecycle.ofMessages(7)));
    Subscriber<String> fast = queue.subscriber("fast");
    Subscriber<String> slow = queue.subscriber(billing().build());
    Subscriber<String> never = queue.subscriber("never");
    List<Long> bySlow = new ArrayList<>();
    for (int round = 0; round < 20; round++) {
      publish(queue, 10);
      assertThat(fast.batch(100, Duration.ZERO)).hasSize(10);
      for (Delivery<String> delivery : slow.batch(3, Duration.ZERO)) {
        bySlow.add(delivery.sequence());
        delivery.ack();
      }
    }
    assertThat(bySlow).hasSize(60).isSorted().doesNotHaveDuplicates();
    assertThat(fast.stats().lag()).isZero();
    assertThat(slow.stats().lag()).isEqualTo(140);
    assertThat(never.stats().lag()).isEqualTo(200);
    assertThat(drain(never)).hasSize(200).isSorted().doesNotHaveDuplicates();
  }

  @Test
  void shouldLetAConverterThatThrowsConcernItsMessageOnly() {
    MessageConverter<String> picky =
        new MessageConverter<>() {
          @Override
          public byte[] toBytes(String data) {
            if (data.isEmpty()) {
              throw new IllegalStateException("nothing to write");
            }
            return data.getBytes(StandardCharsets.UTF_8);
          }

          @Override
          public String fromBytes(byte[] bytes) {
            String text = new String(bytes, StandardCharsets.UTF_8);
            if (text.equals("bad")) {
              throw new IllegalStateException("no such order");
            }
            return text;
          }
        };
    MessageQueue<String> queue =
        open(MessageQueue.builder("orders", picky).directory(directory).timeSource(time));
    Subscriber<String> subscriber = queue.subscriber(billing().build());
    assertThatThrownBy(() -> queue.publisher().publish("")).hasMessageContaining("nothing");
    assertThatThrownBy(() -> queue.publisher().publishAll(List.of("batched", "")))
        .hasMessageContaining("nothing");
    assertThat(queue.publisher().publish("one")).isZero();
    queue.publisher().publish("bad");
    queue.publisher().publish("two");
    assertThat(subscriber.next().data()).isEqualTo("one");
    Delivery<String> bad = subscriber.next();
    assertThatThrownBy(bad::data)
        .isInstanceOf(RiverException.class)
        .hasMessageContaining("orders")
        .hasMessageContaining("sequence 1")
        .hasRootCauseMessage("no such order");
    assertThat(subscriber.next().data()).isEqualTo("two");
    bad.ack();
    assertThat(subscriber.stats().acked()).isEqualTo(1);
  }

  @Test
  void shouldBeOneObjectANameWhileOpen() {
    MessageQueue<String> queue = queueWith(3);
    Subscriber<String> subscriber = queue.subscriber(billing().build());
    assertThat(queue.subscriber("billing")).isSameAs(subscriber);
    assertThat(queue.subscriber(billing().build())).isSameAs(subscriber);
    assertThat(queue.subscriber(billing().start(Position.latest()).build())).isSameAs(subscriber);
    assertThat(queue.subscriber("audit").config().ackRequired()).isFalse();
    assertThat(queue.subscribers()).hasSize(2);
    assertThatThrownBy(() -> queue.subscriber(billing().maxInFlight(5).build()))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageEndingWith(
            "subscriber billing: it is open with other settings: subscriber.max.in.flight is 10000,"
                + " not 5; close it first, or reconfigure the queue");
    assertThatThrownBy(() -> queue.subscriber("Billing"))
        .isInstanceOf(ConfigurationException.class);
    assertThatThrownBy(() -> queue.subscriber("../billing"))
        .isInstanceOf(ConfigurationException.class);
    assertThatThrownBy(() -> queue.subscriber("billing.dead"))
        .isInstanceOf(ConfigurationException.class);
  }

  @Test
  void shouldReopenWithTheSettingsItHad() {
    MessageQueue<String> queue = queueWith(3);
    queue.subscriber(billing().maxInFlight(1).build()).close();
    Subscriber<String> again = queue.subscriber("billing");
    assertThat(again.config().ackRequired()).isTrue();
    assertThat(again.config().maxInFlight()).isEqualTo(1);
    queue.close();
    queue = open(builder());
    assertThat(queue.subscribers()).isEmpty();
    assertThat(queue.subscriber("billing").config().ackTimeout()).isEqualTo(ACK_TIMEOUT);
    queue.subscriber("billing").close();
    assertThat(queue.subscriber(billing().maxInFlight(2).build()).config().maxInFlight())
        .isEqualTo(2);
  }

  @Test
  void shouldRefuseToReopenWithAnotherAckRequired() {
    MessageQueue<String> queue = queueWith(3);
    Subscriber<String> subscriber = queue.subscriber(billing().build());
    subscriber.next();
    SubscriberConfig other = SubscriberConfig.builder("billing").build();
    assertThatThrownBy(() -> queue.subscriber(other)).isInstanceOf(ConfigurationException.class);
    subscriber.close();
    assertThatThrownBy(() -> queue.subscriber(other)).isInstanceOf(ConfigurationException.class);
    queue.close();
    MessageQueue<String> reopened = open(builder());
    assertThatThrownBy(() -> reopened.subscriber(other))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("billing")
        .hasMessageContaining("ack");
    assertThat(reopened.subscriber("billing").next().attempt()).isEqualTo(2);
  }

  @Test
  void shouldKeepThePointerWhenOnlyTheObjectIsClosed() {
    MessageQueue<String> queue = queueWith(5);
    Subscriber<String> subscriber = queue.subscriber(billing().build());
    subscriber.next().ack();
    Delivery<String> out = subscriber.next();
    subscriber.close();
    subscriber.close();
    assertThatThrownBy(subscriber::next).isInstanceOf(QueueClosedException.class);
    assertThatThrownBy(out::ack).isInstanceOf(StaleReceiptException.class);
    assertThatThrownBy(() -> out.reject("no")).isInstanceOf(StaleReceiptException.class);
    Subscriber<String> again = queue.subscriber("billing");
    assertThat(again).isNotSameAs(subscriber);
    Delivery<String> next = again.next();
    assertThat(next.sequence()).isEqualTo(1);
    assertThat(next.attempt()).isEqualTo(2);
    assertThatThrownBy(out::ack).isInstanceOf(StaleReceiptException.class);
    assertThat(again.next().attempt()).isEqualTo(1);
    queue.close();
    assertThatThrownBy(out::ack).isInstanceOf(QueueClosedException.class);
    assertThatThrownBy(next::nack).isInstanceOf(QueueClosedException.class);
  }

  @Test
  void shouldBeAsConfiguredAgainAfterItWasRemoved() {
    MessageQueue<String> queue = open(builder().subscriber(billing().build()));
    publish(queue, 1);
    assertThat(queue.removeSubscriber("billing")).isTrue();
    Subscriber<String> again = queue.subscriber("billing");
    assertThat(again.config().ackRequired()).isTrue();
    assertThat(again.config().ackTimeout()).isEqualTo(ACK_TIMEOUT);
    queue.close();
    open(builder().subscriber(billing().build()));
  }

  @Test
  void shouldShowItsFilterAllThatWasSaidOfAMessage() {
    List<Message<String>> seen = new ArrayList<>();
    MessageQueue<String> queue = open(builder());
    Subscriber<String> subscriber =
        queue.subscriber(billing().<String>filter(message -> seen.add(message)).build());
    queue
        .publisher()
        .publish(
            Message.of("data")
                .withKey("key")
                .withId("id")
                .withHeader("trace", new byte[] {7})
                .expiresAfter(Duration.ofMinutes(5)));
    queue.publisher().publish("plain");
    assertThat(subscriber.peek(2)).hasSize(2);
    assertThat(drain(subscriber)).containsExactly(0L, 1L);
    Terms terms = new Terms("id", Duration.ofMinutes(5).toNanos() / 1_000, 0);
    assertThat(seen).extracting(Message::data).containsExactly("data", "plain", "data", "plain");
    assertThat(seen).extracting(Message::terms).containsExactly(terms, null, terms, null);
    assertThat(seen.get(2).key()).isEqualTo("key");
    assertThat(seen.get(2).headers().get("trace")).containsExactly(7);
  }

  @Test
  void shouldKeepBlocksForASubscriberThatIsClosedAndFreeThemWhenItIsRemoved() {
    MessageQueue<String> queue = open(builder().recycle(SizeBasedRecycle.ofMessages(2)));
    queue.subscriber("audit");
    queue.subscriber(billing().build());
    publish(queue, 10);
    Subscriber<String> audit = queue.subscriber("audit");
    assertThat(drain(audit)).hasSize(10);
    Subscriber<String> subscriber = queue.subscriber("billing");
    for (int i = 0; i < 4; i++) {
      subscriber.next().ack();
    }
    subscriber.close();
    await().until(() -> queue.stats().firstSequence() == 4);
    queue.close();

    MessageQueue<String> reopened = open(builder().recycle(SizeBasedRecycle.ofMessages(2)));
    reopened.publisher().publish("more");
    assertThat(reopened.read(4)).isPresent();
    assertThat(reopened.removeSubscriber("Billing")).isFalse();
    assertThat(reopened.removeSubscriber("billing")).isTrue();
    assertThat(reopened.removeSubscriber("billing")).isFalse();
    await().until(() -> reopened.stats().firstSequence() == 10);
    assertThat(directory.resolve("orders/subscribers/billing")).doesNotExist();
    assertThat(drain(reopened.subscriber("billing"))).containsExactly(10L);
  }

  @Test
  void shouldCloseWhatIsRemoved() {
    MessageQueue<String> queue = queueWith(3);
    Subscriber<String> subscriber = queue.subscriber(billing().build());
    subscriber.next();
    assertThat(queue.removeSubscriber("billing")).isTrue();
    assertThatThrownBy(subscriber::next).isInstanceOf(QueueClosedException.class);
    assertThat(queue.subscribers()).isEmpty();
    Delivery<String> anew = queue.subscriber(SubscriberConfig.builder("billing").build()).next();
    assertThat(anew.sequence()).isZero();
    assertThat(anew.attempt()).isEqualTo(1);
  }

  @Test
  void shouldCountAttemptsOnAcrossRestarts() {
    MessageQueue<String> queue = queueWith(2);
    queue.subscriber(billing().build()).next();
    for (int attempt = 2; attempt < 6; attempt++) {
      queue.close();
      queue = open(builder());
      Delivery<String> next = queue.subscriber("billing").next();
      assertThat(next.sequence()).isZero();
      assertThat(next.attempt()).isEqualTo(attempt);
    }
    assertThat(queue.subscriber("billing").next().attempt()).isEqualTo(1);
  }

  @Test
  void shouldDeliverWhatWasDelayedAfterARestart() {
    MessageQueue<String> queue = queueWith(1);
    queue.subscriber(billing().build()).next().nack(Duration.ofHours(1));
    queue.close();
    queue = open(builder());
    Subscriber<String> billing = queue.subscriber("billing");
    assertThat(billing.next()).isNull();
    assertThat(billing.peek(9)).isEmpty();
    assertThat(billing.stats().lag()).isEqualTo(1);
    time.advance(Duration.ofHours(1));
    assertThat(billing.next().attempt()).isEqualTo(2);
  }
}
