package com.wookler.river.ack;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.ack.journal.Copies;
import com.wookler.river.ack.journal.LedgerOpener;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Memory stays bounded and each call cheap, however many messages there are. */
class AckLedgerScaleTest {
  @TempDir Path directory;

  @Test
  void shouldKeepTheRingSmallWhenEverythingIsAcknowledged() {
    try (AckLedger ledger = open(new Limits(30_000, 10_000, 262_144))) {
      for (long s = 0; s < 5_000_000; s++) {
        ledger.acknowledge(s, ledger.deliver(s, s, s / 1000));
      }
      assertThat(ledger.lowWatermark()).isEqualTo(5_000_000);
      assertThat(ledger.ring.capacity()).isEqualTo(Ring.MIN_CAPACITY);
      assertThat(ledger.deadlineCapacity()).isEqualTo(1024);
    }
  }

  @Test
  void shouldStayWithinTheWindowWhileOneMessageIsStuck() {
    int window = 262_144;
    try (AckLedger ledger = open(new Limits(30_000, 10_000, window))) {
      long handed = 0;
      while (handed < 5_000_000) {
        long stuckAt = ledger.position();
        final long tag = ledger.deliver(stuckAt, 0, handed);
        while (ledger.canDeliver()) {
          long sequence = ledger.position();
          ledger.acknowledge(sequence, ledger.deliver(sequence, sequence, handed));
          handed++;
        }
        assertThat(ledger.position() - ledger.lowWatermark()).isEqualTo(window);
        assertThat(ledger.ring.capacity()).isEqualTo(window);
        assertThat(ledger.deadlineCapacity()).isEqualTo(1024);
        assertThat(ledger.acknowledge(stuckAt, tag)).isEqualTo(AckResult.DONE);
        assertThat(ledger.lowWatermark()).isEqualTo(ledger.position());
      }
    }
  }

  @Test
  void shouldExpireAndRedeliverAMillion() {
    int count = Limits.MAX_WINDOW;
    try (AckLedger ledger = open(new Limits(1000, count, count))) {
      for (long s = 0; s < count; s++) {
        ledger.deliver(s, s, s / 10_000);
      }
      assertThat(ledger.canDeliver()).isFalse();
      long now = 10_000;
      int expired = 0;
      while (ledger.nextDueMillis() <= now) {
        int some = ledger.collectTimedOut(now);
        assertThat(some).isLessThanOrEqualTo(Schedule.COLLECT_STEP);
        expired += some;
      }
      assertThat(expired).isEqualTo(count);
      assertThat(ledger.count(EntryState.READY)).isEqualTo(count);
      for (long s = ledger.nextReady(); s >= 0; s = ledger.nextReady()) {
        ledger.acknowledge(s, ledger.redeliver(s, now));
      }
      assertThat(ledger.redelivered()).isEqualTo(count);
      assertThat(ledger.lowWatermark()).isEqualTo(count);
    }
  }

  @Test
  void shouldReopenWithAMillionFinishedAboveTheFloor() {
    int count = Limits.MAX_WINDOW;
    Limits limits = new Limits(1000, count, count);
    try (AckLedger ledger = open(limits)) {
      ledger.deliver(0, 0, 0);
      for (long s = 1; s < count; s++) {
        ledger.acknowledge(s, ledger.deliver(s, s, 0));
      }
    }
    try (AckLedger ledger = open(limits)) {
      assertThat(ledger.lowWatermark()).isZero();
      assertThat(ledger.count(EntryState.COMPLETED)).isEqualTo(count - 1);
      long tag = ledger.deliver(0, 0, 0);
      assertThat(Ledger.attempt(tag)).isEqualTo(2);
      assertThat(ledger.position()).isEqualTo(count);
      ledger.acknowledge(0, tag);
      assertThat(ledger.lowWatermark()).isEqualTo(count);
    }
  }

  private AckLedger open(Limits limits) {
    return (AckLedger)
        LedgerOpener.withAck(
            directory.resolve("subscriber"),
            Copies.OWNER,
            limits,
            new InitialPosition(0, 0),
            Runnable::run);
  }
}
