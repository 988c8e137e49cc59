package com.wookler.river.core.subscriber;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.common.TimeSource;
import com.wookler.river.common.counters.AbstractCounter;
import com.wookler.river.common.counters.ConcurrentCounter;
import com.wookler.river.common.counters.Count;
import com.wookler.river.common.counters.TimeWindow;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.message.StaleReceiptException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A subscriber over a log and a ledger of its own, without a queue around them. */
@Timeout(120)
class DurableSubscriberTest extends SubscriberFixture {
  private static final SubscriberConfig CONFIG =
      SubscriberConfig.builder("billing").ack(true).build();

  private final ManualTimeSource time = new ManualTimeSource(Instant.parse("2026-11-20T10:00:00Z"));
  private final AbstractCounter redelivered =
      new ConcurrentCounter(new TimeWindow(Duration.ofDays(1), () -> Instant.EPOCH), Count.class);
  private boolean deviceRefuses;
  private Expiries expiries = Expiries.NONE;

  @Override
  TimeSource time() {
    return time;
  }

  @Override
  void openSubscriber() {
    subscriber =
        new DurableSubscriber<>(
            context(expiries),
            CONFIG,
            ledger(CONFIG, this::refused),
            new SubscriberCounters(
                counter(),
                counter(),
                counter(),
                redelivered,
                counter(),
                counter(),
                counter(),
                polls()),
            DeadLetterStore.none("orders"),
            new ContinuationOrigin(directory, UUID.randomUUID()),
            DurableSubscriber::end);
  }

  private @Nullable Object refused(String method) {
    if (deviceRefuses && method.equals("force")) {
      throw new RiverException("the device refuses");
    }
    return null;
  }

  private void publish(int messages) {
    for (int i = 0; i < messages; i++) {
      publish();
    }
  }

  @Test
  void shouldForceAgainWhatTheDeviceRefused() {
    publish(1);
    subscriber.next().ack();
    deviceRefuses = true;
    assertThatThrownBy(subscriber::force).isInstanceOf(RiverException.class);
    assertThat(subscriber.isUnforced()).isTrue();
    deviceRefuses = false;
    subscriber.force();
    assertThat(subscriber.isUnforced()).isFalse();
  }

  @Test
  void shouldForceAfterEachChange() {
    publish(3);
    subscriber.force();
    Delivery<String> first = subscriber.next();
    assertThat(subscriber.isUnforced()).isTrue();
    subscriber.force();
    first.ack();
    assertThat(subscriber.isUnforced()).isTrue();
    subscriber.force();
    subscriber.seek(Position.sequence(2));
    assertThat(subscriber.isUnforced()).isTrue();
    subscriber.force();
    subscriber.purge();
    assertThat(subscriber.isUnforced()).isTrue();
  }

  @Test
  void shouldNotGiveBackWhatWasAcknowledgedWhereverTheFloorIs() {
    publish(2);
    Delivery<String> below = subscriber.next();
    Delivery<String> above = subscriber.next();
    above.ack();
    shouldBeFinal(above); // above the low watermark
    below.ack();
    shouldBeFinal(above);
    shouldBeFinal(below);
    time.advance(Duration.ofHours(2));
    assertThat(subscriber.next()).isNull();
  }

  private static void shouldBeFinal(Delivery<String> acked) {
    assertThatThrownBy(() -> acked.nack(Duration.ZERO)).isInstanceOf(StaleReceiptException.class);
    assertThatThrownBy(acked::release).isInstanceOf(StaleReceiptException.class);
    assertThatThrownBy(() -> acked.extend(Duration.ofHours(1)))
        .isInstanceOf(StaleReceiptException.class);
    acked.ack(); // the acknowledgement that took effect
  }

  @Test
  void shouldCountWhatIsDeliveredAgain() {
    publish(2);
    subscriber.next().nack(Duration.ZERO);
    subscriber.next().ack();
    subscriber.next().release();
    subscriber.next().ack();
    assertThat(redelivered.total()).isEqualTo(subscriber.stats().redelivered()).isPositive();
  }

  @Test
  void shouldTellANackFromARelease() {
    publish(2);
    Delivery<String> released = subscriber.next();
    released.release();
    released.release();
    assertThatThrownBy(() -> released.nack(Duration.ofHours(1)))
        .isInstanceOf(StaleReceiptException.class);
    assertThat(subscriber.next().sequence()).isZero(); // at once, as released
    Delivery<String> nacked = subscriber.next();
    nacked.nack(Duration.ofHours(1));
    nacked.nack(Duration.ofHours(1));
    assertThatThrownBy(nacked::release).isInstanceOf(StaleReceiptException.class);
    assertThat(subscriber.next()).isNull();
  }

  @Test
  void shouldTellTheSameLagAfterAReopening() {
    publish(12);
    Delivery<String> first = subscriber.next();
    for (int i = 1; i < 11; i++) {
      subscriber.next().ack();
    }
    assertThat(first.sequence()).isZero();
    assertThat(subscriber.stats().lag()).isEqualTo(2);
    subscriber.close();
    openSubscriber();
    assertThat(subscriber.stats().lag()).isEqualTo(2);
    assertThat(subscriber.purge()).isEqualTo(2);
    assertThat(subscriber.stats().lag()).isZero();
  }

  private long tends(int steps) {
    long before = subscriber.maintenanceRuns();
    for (int i = 0; i < steps; i++) {
      subscriber.runMaintenance();
    }
    return subscriber.maintenanceRuns() - before;
  }

  private void settleDown() {
    tends(5);
    assertThat(tends(100)).isZero();
  }

  @Test
  void shouldBeLookedAtByHousekeepingOnlyWhenSomethingCanBeDue() throws Exception {
    settleDown(); // nothing was ever published
    publish(3);
    assertThat(tends(1)).isEqualTo(1);
    settleDown(); // they wait, and do not expire
    publish(1);
    assertThat(tends(100)).isZero();
    Delivery<String> first = subscriber.next();
    assertThat(tends(1)).isEqualTo(1);
    settleDown(); // one is in flight
    time.advance(CONFIG.ackTimeout().minusMillis(1));
    assertThat(tends(100)).isZero();
    CompletableFuture<List<Delivery<String>>> waiting = waitBehind(3);
    settleDown(); // one waits
    time.advance(Duration.ofMillis(1));
    assertThat(tends(1)).isEqualTo(1);
    assertThat(waiting.get(60, TimeUnit.SECONDS)).extracting(Delivery::attempt).containsExactly(2);
    assertThatThrownBy(first::ack).isInstanceOf(StaleReceiptException.class);
    tends(5);
    waiting.join().get(0).nack(Duration.ofSeconds(7));
    settleDown(); // one is delayed
    time.advance(Duration.ofSeconds(7));
    assertThat(tends(1)).isEqualTo(1);
  }

  private CompletableFuture<List<Delivery<String>>> waitBehind(int messages) {
    subscriber.ack(subscriber.batchAsync(messages, Duration.ofSeconds(1)).join());
    return subscriber.batchAsync(1, Duration.ofHours(1));
  }

  @Test
  void shouldFinishNoMoreOfWhatExpiredInAStepThanTheSweepAllows() throws Exception {
    subscriber.close();
    expiries =
        new Expiries(
            TimeUnit.MINUTES.toMicros(1), 7, ExpiredMessages.NOWHERE); // max.age, max.expire.sweep
    openSubscriber();
    publish(25);
    time.advance(Duration.ofMinutes(1));
    subscriber.runMaintenance(); // it looks whether somebody polls

    List<Long> expired = new ArrayList<>();
    for (int step = 0; step < 4; step++) {
      subscriber.runMaintenance();
      expired.add(subscriber.stats().expired());
    }

    assertThat(expired).containsExactly(7L, 14L, 21L, 25L);
    assertThat(subscriber.stats().lag()).isZero();
  }
}
