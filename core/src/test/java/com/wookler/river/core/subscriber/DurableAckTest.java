package com.wookler.river.core.subscriber;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.MonitoredThread;
import com.wookler.river.common.TimeSource;
import com.wookler.river.common.WorkerPool;
import com.wookler.river.common.counters.AbstractCounter;
import com.wookler.river.common.counters.Average;
import com.wookler.river.common.counters.ConcurrentCounter;
import com.wookler.river.common.counters.TimeWindow;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.ack.Ledger;
import com.wookler.river.core.ack.Ledgers;
import com.wookler.river.core.ack.Origin;
import com.wookler.river.core.ack.Owner;
import com.wookler.river.core.log.BlockLog;
import com.wookler.river.core.log.LogCounters;
import com.wookler.river.core.log.LogLines;
import com.wookler.river.core.log.LogSettings;
import com.wookler.river.core.log.PublishBuffer;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.message.StaleReceiptException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Acknowledgements that wait for the device, on a device that the test holds. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DurableAckTest {
  private static final UUID IDENTITY = new UUID(0, 7);
  private static final SubscriberConfig CONFIG =
      SubscriberConfig.builder("billing").ack(true).ackDurability(Durability.DISK).build();
  private static final int CONSUMERS = 32;

  @TempDir Path directory;

  private final TimeSource time = TimeSource.system();
  private final EhcacheRedeliveryCache cache = EhcacheRedeliveryCache.builtIn();
  private final WorkerPool pool = WorkerPool.acquire("durable-ack-test", 2);
  private final Semaphore forces = new Semaphore(Integer.MAX_VALUE / 2);
  private final AtomicInteger begun = new AtomicInteger();
  private final List<Long> logAheadOfForce = new ArrayList<>();
  private volatile boolean deviceRefuses;
  private volatile boolean diskFull;
  private BlockLog log;
  private DurableSubscriber<String> subscriber;

  @BeforeEach
  void open() {
    log =
        BlockLog.open(
            new LogSettings(
                "orders", IDENTITY, directory.resolve("log"), 1 << 20, block -> false, 0, time),
            new LogCounters(counter(), counter(), counter(), counter()),
            new LogLines(
                pool.serial("flusher"),
                pool.serial("committer"),
                pool.serial("maker"),
                pool.serial("toucher")),
            0);
    openSubscriber();
  }

  @AfterEach
  void close() {
    forces.release(1000);
    subscriber.close();
    log.close();
    cache.close();
    pool.release();
  }

  private void openSubscriber() {
    Ledger ledger =
        Ledgers.withAck(
            directory.resolve("ack"),
            new Owner(7),
            CONFIG.limits(),
            new Origin(0, 0),
            pool.serial("snapshots"));
    subscriber =
        new DurableSubscriber<>(
            new SubscriberContext<>(
                "orders",
                IDENTITY,
                log,
                null,
                new ReentrantLock(),
                MessageConverter.utf8(),
                time,
                cache,
                null,
                pool.serial("acks"),
                Expiries.NONE),
            CONFIG,
            held(ledger),
            new SubscriberCounters(
                counter(), counter(), counter(), counter(), counter(), counter()),
            DeadLetterStore.none("orders"),
            closed -> {
              closed.force();
              closed.end();
            });
  }

  /** The same ledger, but the device waits for the test, refuses, or has no space. */
  private Ledger held(Ledger ledger) {
    return (Ledger)
        Proxy.newProxyInstance(
            Ledger.class.getClassLoader(),
            new Class<?>[] {Ledger.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("forceFinished")) {
                begun.incrementAndGet();
                logAheadOfForce.add(log.forcedEnd());
                forces.acquire();
              }
              if (deviceRefuses && method.getName().startsWith("force")) {
                throw new RiverException("the device refuses");
              }
              if (diskFull && method.getName().equals("unjournaled")) {
                return 3L;
              }
              try {
                return method.invoke(ledger, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private static AbstractCounter counter() {
    return new ConcurrentCounter(
        new TimeWindow(Duration.ofDays(1), () -> Instant.EPOCH), Average.class);
  }

  private List<Delivery<String>> deliver(int messages) {
    List<Delivery<String>> deliveries = new ArrayList<>();
    for (int i = 0; i < messages; i++) {
      publish();
      deliveries.add(subscriber.next());
    }
    return deliveries;
  }

  private void publish() {
    PublishBuffer buffer = PublishBuffer.ofThread();
    buffer.document().start();
    buffer.document().add("m".getBytes(StandardCharsets.UTF_8), null, Map.of());
    log.append(buffer, time.epochMicros());
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
