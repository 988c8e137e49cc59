package com.wookler.river.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.QueueFullException;
import com.wookler.river.core.subscriber.Backoff;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.reactor.ProcessResult;
import com.wookler.river.test.HandlerResult.Kind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A test as users write one. */
@RiverTest
class BillingTest {
  private static final Backoff BACKOFF = Backoff.list(Duration.ofSeconds(1), Duration.ofMinutes(5));

  record Order(String id, int cents) {}

  private final List<String> billed = new ArrayList<>();
  private boolean down;

  private ProcessResult<Order> bill(Delivery<Order> delivery) {
    if (down) {
      return ProcessResult.retry();
    }
    billed.add(delivery.data().id());
    return ProcessResult.ack();
  }

  @BeforeEach
  void shouldGiveTheSameQueueBeforeATest(@Queue("orders") TestQueue<Order> orders) {
    orders.publish(new Order("first", 1));
  }

  @Test
  void shouldDeliverOneMessageAtATime(@Queue("orders") TestQueue<Order> orders) {
    TestHandler<Order> billing = orders.handle("billing", this::bill);
    orders.publish(new Order("second", 2));

    assertThat(billing.deliverNext()).isTrue();
    billing.assertLast(Kind.ACK);
    assertThat(billed).containsExactly("first");
    assertThat(billing.deliverNext()).isTrue();
    assertThat(billing.deliverNext()).isFalse();
    assertThat(billed).containsExactly("first", "second");
    orders.assertCompleted("billing");
  }

  @Test
  void shouldRetryByTheClockUntilAMessageIsDead(
      @Queue("orders") TestQueue<Order> orders, TestClock clock) {
    down = true;
    TestHandler<Order> billing =
        orders.handle("billing", this::bill, to -> to.maxDeliveries(3).backoff(BACKOFF));

    billing.deliverNext();
    assertThat(billing.lastResult().isRetry()).isTrue();
    assertThat(billing.runUntilIdle()).isZero();
    clock.advance(Duration.ofMillis(999));
    assertThat(billing.runUntilIdle()).isZero();
    clock.advance(Duration.ofMillis(1));
    assertThat(billing.runUntilIdle()).isOne();
    clock.advance(Duration.ofMinutes(5));
    assertThat(billing.runUntilIdle()).isOne();

    assertThat(orders.deadLetters("billing")).hasSize(1);
    orders.assertDeadLetters("billing", 1);
    orders.assertCompleted("billing");
    assertThatThrownBy(() -> orders.assertDeadLetters("billing", 0))
        .hasMessageContaining("orders.billing has 1 dead letters, and not 0");
  }

  @Test
  void shouldDeliverDelayedMessagesAtTheirTime(
      @Queue("orders") TestQueue<Order> orders, TestClock clock) {
    TestHandler<Order> billing = orders.handle("billing", this::bill);
    Instant start = clock.instant();
    orders.publish(Message.of(new Order("month", 1)).deliverAfter(Duration.ofDays(30)));
    orders.publish(Message.of(new Order("day", 1)).deliverAfter(Duration.ofDays(1)));
    billing.runUntilIdle();
    assertThat(billed).containsExactly("first");

    clock.advance(Duration.ofDays(31));

    billing.runUntilIdle();
    assertThat(billed).containsExactly("first", "day", "month");
    assertThat(Duration.between(start, clock.instant())).isEqualTo(Duration.ofDays(31));
    orders.assertCompleted("billing");
  }

  @Test
  void shouldNotWaitOnTheTestsThread(@Queue("orders") TestQueue<Order> orders, TestClock clock)
      throws InterruptedException {
    TestHandler<Order> billing = orders.handle("billing", this::bill);
    billing.runUntilIdle();
    Instant start = clock.instant();
    orders.publish(Message.of(new Order("later", 1)).deliverAfter(Duration.ofHours(3)));

    assertThat(billing.subscriber().next(Duration.ofHours(5)).data().id()).isEqualTo("later");
    assertThat(Duration.between(start, clock.instant())).isEqualTo(Duration.ofHours(3));
  }

  @Test
  void shouldDeliverAgainAfterAKillAtEachPoint(@Queue("orders") TestQueue<Order> orders) {
    TestHandler<Order> billing = orders.handle("billing", this::bill);

    orders.killAfter(KillPoint.DELIVERY);
    billing.deliverNext();
    assertThat(billing.lastResult().kind()).isEqualTo(Kind.KILLED);
    assertThat(billed).isEmpty();
    orders.killAfter(KillPoint.HANDLER);
    billing.deliverNext();
    assertThat(billed).containsExactly("first");
    orders.killAfter(KillPoint.ACK);
    billing.deliverNext();
    assertThat(billed).containsExactly("first", "first");

    assertThat(billing.runUntilIdle()).isZero();
    assertThat(orders.trace())
        .isEqualTo(
            String.join(
                System.lineSeparator(),
                "PT0S orders.billing sequence 0 attempt 1: KILLED <- kill before the handler",
                "PT0S orders.billing sequence 0 attempt 2: KILLED <- kill after the handler,"
                    + " before the acknowledgement",
                "PT0S orders.billing sequence 0 attempt 3: ACK <- kill after the"
                    + " acknowledgement"));
  }

  @Test
  void shouldDeliverAgainWhereTheAnswerIsLostOrLate(
      @Queue("orders") TestQueue<Order> orders, TestClock clock) {
    TestHandler<Order> billing = orders.handle("billing", this::bill);

    orders.fail(Fault.LOSE_ACK);
    billing.deliverNext();
    assertThat(billing.runUntilIdle()).isZero();
    clock.advance(Duration.ofSeconds(31));
    orders.fail(Fault.TOO_LATE);
    billing.deliverNext();

    billing.assertLast(Kind.STALE);
    assertThat(billed).containsExactly("first", "first", "first");
    orders.assertCompleted("billing");
  }

  @Test
  void shouldRefusePublishesWhileTheDiskIsFull(@Queue("orders") TestQueue<Order> orders) {
    orders.diskFull(true);
    assertThatThrownBy(() -> orders.publish(new Order("lost", 1)))
        .isInstanceOf(QueueFullException.class);

    orders.diskFull(false);
    assertThat(orders.publish(new Order("second", 2))).isOne();
  }

  @Test
  void shouldKeepEverythingThroughKillsAndRestarts(
      @Queue("orders") TestQueue<Order> orders, @Queue("audit") TestQueue<String> audit) {
    TestHandler<Order> billing = orders.handle("billing", this::bill);
    audit.publish("a");
    orders.publish(Message.of(new Order("later", 1)).deliverAfter(Duration.ofSeconds(1)));
    orders.kill();
    audit.restart();

    assertThat(audit.queue().stats().messages()).isOne();
    assertThat(billing.runUntilIdle()).isOne();
    assertThat(orders.queue().stats().delayed()).isOne();
  }

  @Test
  @Faults(seed = 7, throwAfter = 0.2, loseAck = 0.2, kill = 0.2, reorder = 0.2)
  void shouldMakeTheSameFaultsFromTheSameSeed(
      @Queue("orders") TestQueue<Order> orders, TestClock clock) {
    TestHandler<Order> billing = orders.handle("billing", this::bill);
    for (int i = 1; i < 10; i++) {
      orders.publish(new Order("" + i, i));
    }

    billing.runUntilIdle();
    clock.advance(Duration.ofMinutes(1));
    billing.runUntilIdle();
    clock.advance(Duration.ofMinutes(1));
    billing.runUntilIdle();

    assertThat(billed).contains("first", "1", "2", "3", "4", "5", "6", "7", "8", "9");
    assertThat(billing.delivered()).isGreaterThan(10);
    assertThat(orders.trace()).contains("<- the acknowledgement is lost");
  }
}
