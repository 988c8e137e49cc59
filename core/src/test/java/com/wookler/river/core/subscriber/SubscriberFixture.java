package com.wookler.river.core.subscriber;

import com.wookler.river.ack.InitialPosition;
import com.wookler.river.ack.Ledger;
import com.wookler.river.ack.journal.LedgerFiles;
import com.wookler.river.ack.journal.Ledgers;
import com.wookler.river.ack.journal.Owner;
import com.wookler.river.common.TimeSource;
import com.wookler.river.common.WorkerPool;
import com.wookler.river.common.counters.AbstractCounter;
import com.wookler.river.common.counters.Average;
import com.wookler.river.common.counters.ConcurrentCounter;
import com.wookler.river.common.counters.Distribution;
import com.wookler.river.common.counters.TimeWindow;
import com.wookler.river.common.file.DurableFiles;
import com.wookler.river.common.file.OwnershipCheck;
import com.wookler.river.core.log.BlockLog;
import com.wookler.river.core.log.LogSettings;
import com.wookler.river.core.log.PooledLog;
import com.wookler.river.core.log.PublishBuffer;
import com.wookler.river.core.message.MessageConverter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A subscriber over a log and a ledger of its own, without a queue around them. */
abstract class SubscriberFixture {
  @TempDir Path directory;
  final WorkerPool pool = WorkerPool.acquire("subscriber-test", 2);
  BlockLog log;
  DurableSubscriber<String> subscriber;
  private final RedeliveryCache cache = RedeliveryCache.builtIn();

  /** What happens before a call of the ledger. */
  @FunctionalInterface
  interface Before {
    /** Answers in its place, if it is not null. */
    @Nullable Object call(String method) throws Exception;
  }

  abstract TimeSource time();

  /** Sets {@link #subscriber}. */
  abstract void openSubscriber();

  @BeforeEach
  final void open() {
    log =
        PooledLog.open(
            new LogSettings(
                "orders",
                new UUID(0, 7),
                directory.resolve("log"),
                1 << 20,
                block -> false,
                0,
                time(),
                0,
                OwnershipCheck.UNDISPUTED),
            pool);
    openSubscriber();
  }

  @AfterEach
  final void close() {
    subscriber.close();
    log.close();
    cache.close();
    pool.release();
  }

  static Distribution polls() {
    return new Distribution("polls", Map.of(), Distribution.Unit.NANOSECONDS);
  }

  final SubscriberContext<String> context(Expiries expiries) {
    return new SubscriberContext<>(
        "orders",
        new UUID(0, 7),
        log,
        null,
        new ReentrantLock(),
        MessageConverter.utf8(),
        time(),
        cache,
        null,
        new ForceOrder(
            "orders", log, expiries.store(), pool.serial("flusher"), pool.serial("acks")),
        expiries);
  }

  /** The ledger of a subscriber that acknowledges. */
  final Ledger ledger(SubscriberConfig config, Before before) {
    Path files = directory.resolve("ack");
    Owner owner = new Owner(7);
    Ledger ledger;
    try {
      DurableFiles.createDirectories(files);
      ledger =
          Ledgers.withAck(
              LedgerFiles.list(files, owner),
              owner,
              config.limits(),
              new InitialPosition(0, 0),
              pool.serial("snapshots"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return (Ledger)
        Proxy.newProxyInstance(
            Ledger.class.getClassLoader(),
            new Class<?>[] {Ledger.class},
            (proxy, method, arguments) -> {
              Object answer = before.call(method.getName());
              if (answer != null) {
                return answer;
              }
              try {
                return method.invoke(ledger, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  static AbstractCounter counter() {
    return new ConcurrentCounter(
        new TimeWindow(Duration.ofDays(1), () -> Instant.EPOCH), Average.class);
  }

  final void publish() {
    PublishBuffer buffer = PublishBuffer.ofThread();
    buffer.document().start();
    buffer.document().add("m".getBytes(StandardCharsets.UTF_8), null, Map.of());
    log.append(buffer, time().epochMicros());
  }
}
