package com.wookler.river.core.subscriber;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.MonitoredThread;
import com.wookler.river.common.TimeSource;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.StaleReceiptException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Acknowledgements that wait for the device, on a device that the test holds. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DurableAckTest extends SubscriberFixture {
  private static final SubscriberConfig CONFIG =
      SubscriberConfig.builder("billing").ack(true).ackDurability(Durability.DISK).build();
  private static final int CONSUMERS = 32;

  private final Semaphore forces = new Semaphore(Integer.MAX_VALUE / 2);
  private final AtomicInteger begun = new AtomicInteger();
  private final List<Long> logAheadOfForce = new ArrayList<>();
  private volatile boolean deviceRefuses;
  private volatile boolean diskFull;

  @AfterEach
  void unlockNext() {
    forces.release(1000);
  }

  @Override
  TimeSource time() {
    return TimeSource.system();
  }

  @Override
  void openSubscriber() {
    subscriber =
        new DurableSubscriber<>(
            context(Expiries.NONE),
            CONFIG,
            ledger(CONFIG, this::held),
            new SubscriberCounters(
                counter(), counter(), counter(), counter(), counter(), counter(), counter(),
                polls()),
            DeadLetterStore.none("orders"),
            new ContinuationOrigin(directory, UUID.randomUUID()),
            closed -> {
              closed.force();
              closed.end();
            });
  }

  /** The device waits for the test, refuses, or has no space. */
  private @Nullable Object held(String method) throws InterruptedException {
    if (method.equals("forceCompleted")) {
      begun.incrementAndGet();
      logAheadOfForce.add(log.forcedEnd());
      forces.acquire();
    }
    if (deviceRefuses && method.startsWith("force")) {
      throw new RiverException("the device refuses");
    }
    return diskFull && method.equals("unjournaled") ? 3L : null;
  }

  private List<Delivery<String>> deliver(int messages) {
    List<Delivery<String>> deliveries = new ArrayList<>();
    for (int i = 0; i < messages; i++) {
      publish();
      deliveries.add(subscriber.next());
    }
    return deliveries;
  }

  private static FutureTask<Void> elsewhere(Runnable work) {
    FutureTask<Void> task = new FutureTask<>(work, null);
    new MonitoredThread("consumer", task).start();
    return task;
  }

  @Test
  void shouldReturnWhenTheAcknowledgementIsOnTheDevice() throws Exception {
    Delivery<String> delivery = deliver(1).get(0);
    forces.drainPermits();
    FutureTask<Void> ack = elsewhere(delivery::ack);
    await().until(() -> begun.get() == 1);
    assertThat(ack.isDone()).isFalse();
    assertThat(subscriber.stats().ackFloor()).isEqualTo(1); // the lock is free, it is in effect
    forces.release();
    ack.get();
  }

  @Test
  void shouldForceTheLogFirstAndOnlyWhatWasHandedOver() {
    deliver(1).get(0).ack();
    deliver(1).get(0).ack();
    assertThat(logAheadOfForce).containsExactly(1L, 2L);
    List<Delivery<String>> more = deliver(2);
    more.get(0).ack();
    publish();
    more.get(1).ack();
    assertThat(logAheadOfForce).containsExactly(1L, 2L, 4L, 4L);
  }

  @Test
  void shouldServeAllThatWaitWithOneForce() throws Exception {
    List<Delivery<String>> deliveries = deliver(CONSUMERS);
    forces.drainPermits();
    List<FutureTask<Void>> acks = new ArrayList<>();
    acks.add(elsewhere(deliveries.get(0)::ack));
    await().until(() -> begun.get() == 1);
    for (Delivery<String> delivery : deliveries.subList(1, CONSUMERS)) {
      acks.add(elsewhere(delivery::ack));
    }
    await().until(() -> subscriber.stats().ackFloor() == CONSUMERS);
    forces.release(1000);
    for (FutureTask<Void> ack : acks) {
      ack.get();
    }
    assertThat(begun.get()).isBetween(2, 3); // the last may have come to the stack a little later
  }

  @Test
  void shouldForceOnceForACollectionAndUpToOne() {
    List<Delivery<String>> deliveries = deliver(100);
    subscriber.ack(deliveries.subList(0, 50));
    assertThat(begun.get()).isEqualTo(1);
    subscriber.ackUpTo(deliveries.get(99));
    assertThat(begun.get()).isEqualTo(2);
  }

  @Test
  void shouldNotWaitForWhatGivesBack() {
    forces.drainPermits();
    List<Delivery<String>> deliveries = deliver(3);
    deliveries.get(0).nack(Duration.ofHours(1));
    deliveries.get(1).release();
    deliveries.get(2).extend(Duration.ofHours(1));
    assertThat(begun.get()).isZero();
  }

  @Test
  void shouldRefuseAStaleReceiptWithoutWaiting() {
    Delivery<String> stale = deliver(1).get(0);
    stale.release();
    forces.drainPermits();
    assertThatThrownBy(stale::ack).isInstanceOf(StaleReceiptException.class);
    assertThat(begun.get()).isZero();
  }

  @Test
  void shouldFailAllThatWaitAndNeverTrustALaterForce() throws Exception {
    List<Delivery<String>> deliveries = deliver(3);
    deviceRefuses = true;
    FutureTask<Void> other = elsewhere(deliveries.get(0)::ack);
    assertThatThrownBy(deliveries.get(1)::ack)
        .isInstanceOf(RiverException.class)
        .hasMessageContaining("billing")
        .hasMessageContaining("the device refuses");
    assertThatThrownBy(other::get).hasRootCauseMessage("the device refuses");
    deviceRefuses = false;
    assertThatThrownBy(deliveries.get(2)::ack).hasMessageContaining("open it again");
    assertThat(subscriber.stats().ackFloor()).isEqualTo(3);
    subscriber.close();
    openSubscriber();
    assertThatCode(deliver(1).get(0)::ack).doesNotThrowAnyException();
  }

  @Test
  void shouldFailWhatCouldNotBeWritten() {
    Delivery<String> delivery = deliver(1).get(0);
    diskFull = true;
    assertThatThrownBy(delivery::ack)
        .isInstanceOf(RiverException.class)
        .hasMessageContaining("in memory only");
    diskFull = false;
    assertThatCode(delivery::ack).doesNotThrowAnyException();
  }

  @Test
  void shouldAnswerThoseThatWaitWhenItIsClosed() throws Exception {
    List<Delivery<String>> deliveries = deliver(8);
    forces.drainPermits();
    List<FutureTask<Void>> acks = new ArrayList<>();
    deliveries.forEach(delivery -> acks.add(elsewhere(delivery::ack)));
    await().until(() -> subscriber.stats().ackFloor() == 8);
    FutureTask<Void> closing = elsewhere(subscriber::close);
    forces.release(1000);
    closing.get();
    for (FutureTask<Void> ack : acks) {
      ack.get();
    }
  }

  @Test
  void shouldKeepTheInterruptOfAThreadThatWaits() {
    Delivery<String> delivery = deliver(1).get(0);
    Thread.currentThread().interrupt();
    delivery.ack();
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void shouldRefuseTheLevelWithoutAcknowledgement() {
    SubscriberConfig.Builder builder =
        SubscriberConfig.builder("audit").ackDurability(Durability.DISK);
    assertThatThrownBy(builder::build)
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("subscriber.ack.durability");
  }
}
