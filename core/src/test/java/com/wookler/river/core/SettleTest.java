package com.wookler.river.core;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.core.message.StaleReceiptException;
import com.wookler.river.core.subscriber.Backoff;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Settled;
import com.wookler.river.core.subscriber.Settlement;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.core.subscriber.SubscriberStats;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** AckHandler by receipt, looking without taking, and the figures. */
@Timeout(120)
class SettleTest {
  private static final SubscriberConfig BILLING =
      SubscriberConfig.builder("billing")
          .ack(true)
          .ackTimeout(Duration.ofSeconds(10))
          .backoff(Backoff.fixed(Duration.ofSeconds(2)))
          .maxDeliveries(3)
          .build();

  @TempDir Path directory;

  private final ManualTimeSource time = new ManualTimeSource(Instant.parse("2026-11-20T10:00:00Z"));
  private MessageQueue<String> queue;
  private Subscriber<String> billing;

  @BeforeEach
  void open() {
    queue =
        MessageQueue.builder("orders", MessageConverter.utf8())
            .directory(directory)
            .syncInterval(Duration.ofMillis(5))
            .timeSource(time)
            .open();
    billing = queue.subscriber(BILLING);
  }

  @AfterEach
  void close() {
    queue.close();
  }

  private void publish(String... messages) {
    queue.publisher().publishAll(Arrays.asList(messages));
  }

  private List<String> receipts(int count) {
    List<String> receipts = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      receipts.add(billing.next().receipt());
    }
    return receipts;
  }

  private Settled settle(String receipt, Settlement action) {
    return billing.settle(List.of(receipt), action).get(0);
  }

  @Test
  void shouldAnswerForEachReceipt() {
    publish("a", "b", "c");
    List<String> receipts = receipts(3);
    settle(receipts.get(1), Settlement.release());
    assertThat(
            billing.settle(
                List.of(receipts.get(0), receipts.get(1), "made up", receipts.get(2)),
                Settlement.ack()))
        .containsExactly(Settled.OK, Settled.STALE, Settled.UNKNOWN, Settled.OK);
    assertThat(billing.stats().lag()).isEqualTo(1);
    assertThat(billing.stats().acked()).isEqualTo(2);
  }

  @Test
  void shouldTakeARepetitionForWhatItIs() {
    publish("a", "b");
    List<String> receipts = receipts(2);
    for (int i = 0; i < 2; i++) {
      assertThat(settle(receipts.get(0), Settlement.ack())).isEqualTo(Settled.OK);
      assertThat(settle(receipts.get(1), Settlement.release())).isEqualTo(Settled.OK);
    }
    assertThat(settle(receipts.get(0), Settlement.nack())).isEqualTo(Settled.STALE);
    assertThat(settle(receipts.get(1), Settlement.ack())).isEqualTo(Settled.STALE);
    assertThat(billing.next().attempt()).isEqualTo(1);
  }

  /** Whether an earlier message is unfinished, too, or not. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldAnswerStaleWhereAnotherHasCompletedTheMessage(boolean isFirst) throws Exception {
    publish("first");
    Delivery<String> first = billing.next();
    if (isFirst) {
      first.ack();
    } else {
      first.extend(Duration.ofHours(1));
    }
    queue.publisher().publish(Message.of("expires").expiresAfter(Duration.ofSeconds(5)));
    publish("cancelled", "dead");
    List<Delivery<String>> late = new ArrayList<>(billing.batch(2, Duration.ZERO));
    for (int i = 0; i < 3; i++) {
      late.add(await().until(billing::next, Objects::nonNull));
      time.advance(Duration.ofSeconds(15)); // the timeout and the backoff
      queue.cancel(late.get(1).sequence());
    }
    await().until(() -> billing.stats().dead() == 1 && billing.stats().lag() == (isFirst ? 0 : 1));
    late.subList(2, 4).clear(); // earlier deliveries of the one that is dead
    assertThat(late).extracting(Delivery::data).containsExactly("expires", "cancelled", "dead");
    for (Delivery<String> each : late) {
      assertThat(settle(each.receipt(), Settlement.ack())).isEqualTo(Settled.STALE);
      assertThatThrownBy(each::ack).isInstanceOf(StaleReceiptException.class);
      assertThatThrownBy(each::nack).isInstanceOf(StaleReceiptException.class);
    }
    assertThat(billing.stats().acked()).isEqualTo(isFirst ? 1 : 0);
  }

  @Test
  void shouldTakeARepetitionByReceiptAndDeliveryInTurn() {
    publish("a", "b", "c", "d");
    Delivery<String> first = billing.next();
    assertThat(settle(first.receipt(), Settlement.ack())).isEqualTo(Settled.OK);
    first.ack(); // below the floor, where the ledger knows nothing of it
    assertThatThrownBy(first::release).isInstanceOf(StaleReceiptException.class);
    Delivery<String> second = billing.next();
    String receipt = second.receipt();
    second.ack();
    assertThat(settle(receipt, Settlement.ack())).isEqualTo(Settled.OK);
    assertThat(settle(receipt, Settlement.release())).isEqualTo(Settled.STALE);
    Delivery<String> third = billing.next();
    billing.ack(List.of(third));
    assertThat(settle(third.receipt(), Settlement.ack())).isEqualTo(Settled.OK);
    Delivery<String> fourth = billing.next();
    receipt = fourth.receipt();
    fourth.nack(Duration.ZERO);
    assertThat(settle(receipt, Settlement.nack(Duration.ZERO))).isEqualTo(Settled.OK);
    assertThat(settle(receipt, Settlement.ack())).isEqualTo(Settled.STALE);
    assertThat(billing.next().attempt()).isEqualTo(2);
  }

  @Test
  void shouldFinishAllUpToAReceipt() {
    publish("a", "b", "c", "d");
    List<String> receipts = receipts(4);
    assertThat(settle(receipts.get(2), Settlement.ackUpTo())).isEqualTo(Settled.OK);
    assertThat(settle(receipts.get(2), Settlement.ackUpTo())).isEqualTo(Settled.OK);
    assertThat(billing.stats().ackFloor()).isEqualTo(3);
    assertThat(billing.stats().inFlight()).isEqualTo(1);
    assertThat(settle(receipts.get(0), Settlement.release())).isEqualTo(Settled.STALE);
    assertThat(settle(receipts.get(3), Settlement.ack())).isEqualTo(Settled.OK);
  }

  @Test
  void shouldLetOnlyTheLatestReceiptDecide() {
    publish("a");
    String first = billing.next().receipt();
    time.advance(Duration.ofSeconds(12));
    Delivery<String> second = billing.next();
    assertThat(settle(first, Settlement.ack())).isEqualTo(Settled.STALE);
    second.ack();
    assertThat(settle(first, Settlement.ack())).isEqualTo(Settled.STALE);
  }

  @Test
  void shouldGiveBackByReceipt() {
    publish("a");
    assertThat(settle(billing.next().receipt(), Settlement.nack())).isEqualTo(Settled.OK);
    assertThat(billing.next()).isNull();
    time.advance(Duration.ofSeconds(2)); // the backoff
    Delivery<String> again = billing.next();
    assertThat(again.attempt()).isEqualTo(2);
    settle(again.receipt(), Settlement.nack(Duration.ZERO));
    Delivery<String> last = billing.next();
    assertThat(settle(last.receipt(), Settlement.nack(Duration.ofHours(1)))).isEqualTo(Settled.OK);
    assertThat(settle(last.receipt(), Settlement.nack(Duration.ofHours(1)))).isEqualTo(Settled.OK);
    await().until(() -> billing.stats().dead() == 1); // three deliveries were all
    assertThat(billing.deadLetters().peek(1).get(0).data()).isEqualTo("a");
  }

  @Test
  void shouldRejectAndExtendByReceipt() {
    publish("a", "b");
    List<String> receipts = receipts(2);
    assertThat(settle(receipts.get(0), Settlement.reject("broken"))).isEqualTo(Settled.OK);
    assertThat(settle(receipts.get(0), Settlement.reject("broken"))).isEqualTo(Settled.OK);
    assertThat(billing.deadLetters().size()).isEqualTo(1);
    assertThat(settle(receipts.get(1), Settlement.extend(Duration.ofMinutes(1))))
        .isEqualTo(Settled.OK);
    time.advance(Duration.ofSeconds(59));
    assertThat(billing.next()).isNull();
    time.advance(Duration.ofSeconds(3));
    assertThat(billing.next().data()).isEqualTo("b");
  }

  @Test
  void shouldVoidReceiptsWhenClosedAndKeepThemFromOthers() {
    publish("a");
    String receipt = billing.next().receipt();
    Subscriber<String> audit =
        queue.subscriber(SubscriberConfig.builder("audit").ack(true).build());
    audit.next();
    assertThat(audit.settle(List.of(receipt), Settlement.ack())).containsExactly(Settled.UNKNOWN);
    billing.close();
    assertThatThrownBy(() -> settle(receipt, Settlement.ack()))
        .isInstanceOf(QueueClosedException.class);
    billing = queue.subscriber(BILLING);
    assertThat(settle(receipt, Settlement.ack())).isEqualTo(Settled.STALE);
    assertThat(billing.stats().lag()).isEqualTo(1);
  }

  @Test
  void shouldSayYesWithoutAcknowledgement() {
    Subscriber<String> once = queue.subscriber("once");
    publish("a");
    String receipt = once.next().receipt();
    assertThat(once.settle(List.of(receipt, "x"), Settlement.nack()))
        .containsExactly(Settled.OK, Settled.UNKNOWN);
  }

  @Test
  void shouldShowWhatWouldComeAndChangeNothing() {
    publish("a", "b", "c", "d");
    billing.next();
    billing.next().release();
    time.advance(Duration.ofSeconds(1));
    for (int i = 0; i < 2; i++) {
      List<Delivery<String>> seen = billing.peek(10);
      assertThat(seen).extracting(Delivery::data).containsExactly("b", "c", "d");
      assertThat(seen).extracting(Delivery::attempt).containsOnly(0);
      assertThat(billing.peek(1)).hasSize(1);
      seen.forEach(Delivery::ack); // does nothing
    }
    assertThat(billing.stats().lag()).isEqualTo(4);
    assertThat(billing.next().attempt()).isEqualTo(1);
    time.advance(Duration.ofSeconds(12));
    billing.next().ack();
    assertThat(billing.peek(10)).extracting(Delivery::data).containsExactly("b", "c", "d");
    assertThat(billing.peek(10)).extracting(Delivery::attempt).containsExactly(1, 0, 0);
    Subscriber<String> once = queue.subscriber("once");
    once.next();
    assertThat(once.peek(2)).extracting(Delivery::data).containsExactly("b", "c");
  }

  @Test
  void shouldHandOverOnlyWhatItsFilterWants() {
    Subscriber<String> picky =
        queue.subscriber(
            SubscriberConfig.builder("picky")
                .ack(true)
                .filter((Message<String> message) -> message.data().startsWith("y"))
                .build());
    Subscriber<String> once =
        queue.subscriber(
            SubscriberConfig.builder("once")
                .filter((Message<String> message) -> "k".equals(message.key()))
                .build());
    publish("n1", "y1", "n2");
    queue.publisher().publish(Message.of("y2").withKey("k"));
    assertThat(picky.peek(9)).extracting(Delivery::data).containsExactly("y1", "y2");
    Delivery<String> first = picky.next();
    assertThat(first.data()).isEqualTo("y1");
    assertThat(picky.stats().ackFloor()).isEqualTo(1);
    first.ack();
    picky.next().ack();
    assertThat(picky.next()).isNull();
    SubscriberStats stats = picky.stats();
    assertThat(stats.lag()).isZero();
    assertThat(stats.filtered()).isEqualTo(2);
    assertThat(stats.delivered()).isEqualTo(2);
    assertThat(stats.acked()).isEqualTo(2);
    assertThat(once.next().data()).isEqualTo("y2");
    assertThat(once.stats().filtered()).isEqualTo(3);
  }

  @Test
  void shouldRetryWhereTheFilterThrowsAndGiveUpAtTheLimit() {
    Subscriber<String> picky =
        queue.subscriber(
            SubscriberConfig.builder("picky")
                .ack(true)
                .maxDeliveries(2)
                .filter((Message<String> message) -> 1 / message.data().length() == 1)
                .build());
    publish("", "b");
    assertThat(picky.next().data()).isEqualTo("b");
    assertThat(picky.next()).isNull();
    time.advance(Duration.ofSeconds(30)); // without a backoff as long as the ack timeout
    Delivery<String> again = picky.next();
    assertThat(again.data()).isEqualTo("b");
    await().until(() -> picky.stats().dead() == 1);
    assertThat(
            new String(
                picky.deadLetters().peek(1).get(0).headers().get("river.dead.exception"), UTF_8))
        .isEqualTo("java.lang.ArithmeticException");
  }

  @Test
  void shouldAskForTheFilterAfterARestart() {
    SubscriberConfig config =
        SubscriberConfig.builder("picky").filter((Message<String> message) -> false).build();
    queue.subscriber(config);
    queue.close();
    open();
    assertThatThrownBy(() -> queue.subscriber("picky")).hasMessageContaining("it had a filter");
    assertThat(queue.subscriber(config).config().filter()).isSameAs(config.filter());
  }

  @Test
  void shouldTellWhereItStands() {
    assertThat(billing.stats().oldestUnfinishedAge()).isZero();
    publish("a");
    time.advance(Duration.ofSeconds(5));
    publish("b", "c", "d");
    time.advance(Duration.ofSeconds(1));
    Delivery<String> first = billing.next();
    billing.next().ack();
    billing.next().reject("no");
    await().until(() -> billing.stats().dead() == 1 && billing.stats().holes() == 1);
    SubscriberStats stats = billing.stats();
    assertThat(stats.oldestUnfinishedAge()).isEqualTo(Duration.ofSeconds(6));
    assertThat(stats.ackFloor()).isZero();
    assertThat(stats.windowUsed()).isEqualTo(3);
    assertThat(stats.holes()).isEqualTo(1);
    assertThat(stats.lag()).isEqualTo(2);
    assertThat(stats.inFlight()).isEqualTo(1);
    first.ack();
    assertThat(billing.stats().windowUsed()).isZero();
    assertThat(billing.stats().oldestUnfinishedAge()).isEqualTo(Duration.ofSeconds(1));
  }
}
