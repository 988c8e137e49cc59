package com.wookler.river.ack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.wookler.river.ack.journal.Copies;
import com.wookler.river.ack.journal.LedgerOpener;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The rules of delivery and acknowledgement within one run. */
class AckLedgerTest {
  private static final long TIMEOUT = 1000;

  @TempDir Path directory;

  private Ledger ledger;

  @BeforeEach
  void open() {
    open(new Limits(TIMEOUT, 100, 1000));
  }

  @AfterEach
  void close() {
    ledger.close();
  }

  @Test
  void shouldHandOverInOrderWithTheFirstAttempt() {
    assertThat(deliver(0)).extracting(Ledger::attempt).isEqualTo(1);
    deliver(0);
    assertThat(ledger.position()).isEqualTo(2);
    assertThat(ledger.lowWatermark()).isZero();
    assertThat(ledger.count(EntryState.IN_FLIGHT)).isEqualTo(2);
    assertThat(ledger.unfinished()).isEqualTo(2);
    assertThat(ledger.address(1)).isEqualTo(1001);
  }

  @Test
  void shouldRefuseToHandOverOutOfOrder() {
    assertThatThrownBy(() -> ledger.deliver(1, 0, 0)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void shouldMoveTheFloorOverFinishedOnes() {
    long first = deliver(0);
    long second = deliver(0);
    assertThat(ledger.acknowledge(1, second)).isEqualTo(AckResult.DONE);
    assertThat(ledger.lowWatermark()).isZero();
    assertThat(ledger.count(EntryState.COMPLETED)).isEqualTo(1);
    assertThat(ledger.acknowledge(0, first)).isEqualTo(AckResult.DONE);
    assertThat(ledger.lowWatermark()).isEqualTo(2);
    assertThat(ledger.count(EntryState.COMPLETED)).isZero();
    assertThat(ledger.unfinished()).isZero();
  }

  @Test
  void shouldCompleteARunUpToTheFirstThatIsNotToBeCompleted() {
    long[] tags = new long[6];
    for (int i = 1; i < 6; i++) {
      tags[i] = ledger.deliverNext(i - 1, 1000, 0);
    }
    ledger.writeDelivered();
    assertThat(ledger.acknowledge(0, tags, 1, 2)).isEqualTo(2);
    assertThat(ledger.lowWatermark()).isEqualTo(2);
    assertThat(ledger.acknowledge(3, tags[4])).isEqualTo(AckResult.DONE);
    assertThat(ledger.acknowledge(2, tags, 3, 3)).isEqualTo(1);
    assertThat(ledger.acknowledge(3, tags, 4, 2)).isZero();
    assertThat(ledger.acknowledge(4, tags, 5, 1)).isEqualTo(1);
    assertThat(ledger.lowWatermark()).isEqualTo(5);
    assertThat(ledger.unfinished()).isZero();
  }

  @Test
  void shouldCountADeliveryThatWasWrittenWithOthers() throws Exception {
    Limits limits = new Limits(TIMEOUT, 100, 1000);
    for (int i = 0; i < 3; i++) {
      ledger.deliverNext(i, 1000, 0);
    }
    ledger.writeDelivered();
    Path copy = Copies.of(directory.resolve("sub-" + limits));
    try (Ledger killed =
        LedgerOpener.withAck(
            copy, Copies.OWNER, limits, new InitialPosition(0, 0), Runnable::run)) {
      assertThat(killed.deliver(0, 0, 0)).extracting(Ledger::attempt).isEqualTo(2);
      killed.deliver(1, 0, 0);
      assertThat(killed.deliver(2, 0, 0)).extracting(Ledger::attempt).isEqualTo(2);
      assertThat(killed.deliver(3, 0, 0)).extracting(Ledger::attempt).isEqualTo(1);
    }
  }

  @Test
  void shouldTellRepeatedFromStale() {
    long first = deliver(0);
    long second = deliver(0);
    ledger.acknowledge(1, second);
    assertThat(ledger.acknowledge(1, second)).isEqualTo(AckResult.REPEATED);
    assertThat(ledger.release(1, second)).isEqualTo(AckResult.REPEATED);
    assertThat(ledger.acknowledge(1, first + 1)).isEqualTo(AckResult.STALE);
    ledger.acknowledge(0, first);
    assertThat(ledger.acknowledge(0, first)).isEqualTo(AckResult.STALE);
    assertThat(ledger.acknowledge(77, first)).isEqualTo(AckResult.STALE);
  }

  @Test
  void shouldRedeliverWhenAckTimeoutPasses() {
    long old = deliver(0);
    assertThat(ledger.nextDueMillis()).isEqualTo(TIMEOUT);
    assertThat(ledger.collectTimedOut(TIMEOUT - 1)).isZero();
    assertThat(ledger.nextReady()).isEqualTo(-1);
    assertThat(ledger.collectTimedOut(TIMEOUT)).isEqualTo(1);
    assertThat(ledger.nextReady()).isZero();
    assertThat(ledger.timedOut()).isEqualTo(1);
    long fresh = ledger.redeliver(0, TIMEOUT);
    assertThat(Ledger.attempt(fresh)).isEqualTo(2);
    assertThat(ledger.address(0)).isEqualTo(1000);
    assertThat(ledger.redelivered()).isEqualTo(1);
    assertThat(ledger.acknowledge(0, old)).isEqualTo(AckResult.STALE);
    assertThat(ledger.acknowledge(0, fresh)).isEqualTo(AckResult.DONE);
    assertThat(ledger.nextDueMillis()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void shouldAcceptALateAckThatNobodyHasOvertaken() {
    long tag = deliver(0);
    ledger.collectTimedOut(TIMEOUT);
    assertThat(ledger.acknowledge(0, tag)).isEqualTo(AckResult.DONE);
    assertThat(ledger.nextReady()).isEqualTo(-1);
    assertThat(ledger.lowWatermark()).isEqualTo(1);
  }

  @Test
  void shouldFinishAllUpToOne() {
    long done = deliver(0);
    long ready = deliver(0);
    long delayed = deliver(0);
    deliver(0);
    long last = deliver(0);
    long above = deliver(0);
    ledger.acknowledge(0, done);
    ledger.release(1, ready);
    ledger.retry(2, delayed, 10, 0);
    assertThat(ledger.acknowledgeUpTo(4, last)).isEqualTo(AckResult.DONE);
    assertThat(ledger.lowWatermark()).isEqualTo(5);
    assertThat(ledger.acknowledgeUpTo(4, last)).isEqualTo(AckResult.STALE);
    assertThat(ledger.acknowledge(5, above)).isEqualTo(AckResult.DONE);
    assertThat(ledger.nextReady()).isEqualTo(-1);
    assertThat(ledger.nextDueMillis()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void shouldFinishWhatLiesBelowThoughTheOneItselfWasFinished() {
    deliver(0);
    long last = deliver(0);
    ledger.acknowledge(1, last);
    assertThat(ledger.acknowledgeUpTo(1, last)).isEqualTo(AckResult.DONE);
    assertThat(ledger.lowWatermark()).isEqualTo(2);
  }

  @Test
  void shouldNotCountAReleasedAttempt() {
    long old = deliver(0);
    assertThat(ledger.release(0, old)).isEqualTo(AckResult.DONE);
    assertThat(ledger.count(EntryState.READY)).isEqualTo(1);
    assertThat(ledger.acknowledge(0, old)).isEqualTo(AckResult.STALE);
    assertThat(ledger.release(0, old)).isEqualTo(AckResult.STALE);
    long fresh = ledger.redeliver(0, 0);
    assertThat(Ledger.attempt(fresh)).isEqualTo(1);
    assertThat(fresh).isNotEqualTo(old);
    assertThat(ledger.acknowledge(0, old)).isEqualTo(AckResult.STALE);
    assertThat(ledger.acknowledge(0, fresh)).isEqualTo(AckResult.DONE);
  }

  @Test
  void shouldRetryAfterTheDelayWithTheAttemptCounted() {
    long tag = deliver(0);
    assertThat(ledger.retry(0, tag, 5000, 10)).isEqualTo(AckResult.DONE);
    assertThat(ledger.count(EntryState.DELAYED)).isEqualTo(1);
    assertThat(ledger.count(EntryState.IN_FLIGHT)).isZero();
    assertThat(ledger.nextDueMillis()).isEqualTo(5010);
    ledger.collectTimedOut(5009);
    assertThat(ledger.nextReady()).isEqualTo(-1);
    ledger.collectTimedOut(5010);
    assertThat(ledger.timedOut()).isZero();
    assertThat(Ledger.attempt(ledger.redeliver(0, 5010))).isEqualTo(2);
  }

  @Test
  void shouldRetryAtOnceWithoutADelay() {
    long tag = deliver(0);
    ledger.retry(0, tag, 0, 0);
    assertThat(Ledger.attempt(ledger.redeliver(0, 0))).isEqualTo(2);
  }

  @Test
  void shouldGiveMoreTimeUpToTheLatest() {
    long tag = deliver(0);
    assertThat(ledger.extend(0, tag, 3000, 500, 10_000)).isEqualTo(AckResult.DONE);
    assertThat(ledger.collectTimedOut(3499)).isZero();
    assertThat(ledger.extend(0, tag, 3000, 500, 600)).isEqualTo(AckResult.DONE);
    assertThat(ledger.nextDueMillis()).isEqualTo(600);
    assertThat(ledger.collectTimedOut(600)).isEqualTo(1);
  }

  @Test
  void shouldTakeBackIntoFlightWhatIsExtendedAfterItsTimeout() {
    long tag = deliver(0);
    ledger.collectTimedOut(TIMEOUT);
    assertThat(ledger.extend(0, tag, 50, TIMEOUT, Long.MAX_VALUE)).isEqualTo(AckResult.DONE);
    assertThat(ledger.count(EntryState.IN_FLIGHT)).isEqualTo(1);
    assertThat(ledger.nextReady()).isEqualTo(-1);
    assertThat(ledger.collectTimedOut(TIMEOUT + 50)).isEqualTo(1);
    assertThat(ledger.nextReady()).isZero();
  }

  @Test
  void shouldRedeliverFirstComeFirstServed() {
    long a = deliver(0);
    long b = deliver(0);
    long c = deliver(0);
    ledger.release(1, b);
    ledger.release(0, a);
    ledger.release(2, c);
    assertThat(ledger.nextReady()).isEqualTo(1);
    ledger.redeliver(1, 0);
    assertThat(ledger.nextReady()).isZero();
    ledger.redeliver(0, 0);
    assertThat(ledger.nextReady()).isEqualTo(2);
  }

  @Test
  void shouldQueueAtTheEndWhatWasInFlightInBetween() {
    long a = deliver(0);
    deliver(0);
    ledger.collectTimedOut(TIMEOUT);
    ledger.extend(0, a, 1, TIMEOUT, Long.MAX_VALUE);
    ledger.collectTimedOut(TIMEOUT + 1);
    assertThat(ledger.nextReady()).isEqualTo(1);
  }

  @Test
  void shouldRespectTheInFlightLimitForNewAndOld() {
    ledger.close();
    open(new Limits(TIMEOUT, 2, 1000));
    long a = deliver(0);
    deliver(0);
    assertThat(ledger.canDeliver()).isFalse();
    assertThatThrownBy(() -> deliver(0)).isInstanceOf(IllegalStateException.class);
    ledger.release(0, a);
    assertThat(ledger.canDeliver()).isTrue();
    deliver(0);
    assertThat(ledger.nextReady()).isEqualTo(-1);
    assertThatThrownBy(() -> ledger.redeliver(0, 0)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void shouldStopReadingAheadWhenTheWindowIsFull() {
    ledger.close();
    open(new Limits(TIMEOUT, 100, 3));
    final long stuck = deliver(0);
    ledger.acknowledge(1, deliver(0));
    ledger.acknowledge(2, deliver(0));
    assertThat(ledger.canDeliver()).isFalse();
    ledger.collectTimedOut(TIMEOUT);
    assertThat(ledger.nextReady()).isZero();
    ledger.acknowledge(0, stuck);
    assertThat(ledger.canDeliver()).isTrue();
    assertThat(ledger.lowWatermark()).isEqualTo(3);
  }

  @Test
  void shouldSkipAGapOfAnySizeWhenNothingIsUnfinished() {
    assertThat(ledger.skip(3_000_000_000L)).isEqualTo(3_000_000_000L);
    assertThat(ledger.lowWatermark()).isEqualTo(3_000_000_000L);
    assertThat(ledger.skip(5)).isEqualTo(3_000_000_000L);
  }

  @Test
  void shouldSkipAsFarAsTheWindowAllows() {
    long stuck = deliver(0);
    assertThat(ledger.skip(5000)).isEqualTo(1000);
    assertThat(ledger.canDeliver()).isFalse();
    assertThat(ledger.acknowledge(7, stuck)).isEqualTo(AckResult.STALE);
    ledger.acknowledge(0, stuck);
    assertThat(ledger.lowWatermark()).isEqualTo(1000);
    assertThat(ledger.skip(5000)).isEqualTo(5000);
    assertThat(Ledger.attempt(ledger.deliver(5000, 0, 0))).isEqualTo(1);
  }

  @Test
  void shouldVoidAllTicketsOnSeek() {
    long a = deliver(0);
    deliver(0);
    ledger.seek(0);
    assertThat(ledger.lowWatermark()).isZero();
    assertThat(ledger.position()).isZero();
    assertThat(ledger.count(EntryState.IN_FLIGHT)).isZero();
    long again = deliver(0);
    assertThat(Ledger.attempt(again)).isEqualTo(1);
    assertThat(ledger.acknowledge(0, a)).isEqualTo(AckResult.STALE);
    assertThat(ledger.acknowledge(0, again)).isEqualTo(AckResult.DONE);
    ledger.seek(50);
    assertThat(ledger.lowWatermark()).isEqualTo(50);
    assertThat(ledger.nextDueMillis()).isEqualTo(Long.MAX_VALUE);
    assertThatThrownBy(() -> ledger.seek(-1)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void shouldStayAtTheHighestAttempt() {
    deliver(0);
    long tag = 0;
    for (int i = 0; i < Ledger.MAX_ATTEMPT + 10; i++) {
      ledger.collectTimedOut(TIMEOUT);
      ledger.extend(0, tag, -1, 0, 0);
      long now = (i + 1) * TIMEOUT;
      ledger.collectTimedOut(now);
      long before = tag;
      tag = ledger.redeliver(0, now);
      assertThat(tag).isNotEqualTo(before);
    }
    assertThat(Ledger.attempt(tag)).isEqualTo(Ledger.MAX_ATTEMPT);
    assertThat(ledger.acknowledge(0, tag)).isEqualTo(AckResult.DONE);
  }

  @Test
  void shouldKeepDeadlinesApartThatAreFarAway() {
    long near = deliver(0);
    long far = deliver(0);
    ledger.retry(1, far, 1L << 32, 0);
    ledger.retry(0, near, Long.MAX_VALUE, 0);
    assertThat(ledger.nextDueMillis()).isEqualTo(1L << 32);
    assertThat(ledger.collectTimedOut(1L << 31)).isZero();
    assertThat(ledger.collectTimedOut(1L << 32)).isEqualTo(1);
    assertThat(ledger.nextReady()).isEqualTo(1);
    assertThat(ledger.nextDueMillis()).isEqualTo(Limits.MAX_DELAY_MILLIS);
  }

  @Test
  void shouldRefuseEverythingAfterClose() {
    long tag = deliver(0);
    ledger.close();
    ledger.close();
    ledger.force();
    assertThat(ledger.recovery().created()).isTrue();
    assertThatThrownBy(() -> ledger.acknowledge(0, tag)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> ledger.deliver(1, 0, 0)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> ledger.skip(9)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> ledger.seek(9)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> ledger.redeliver(0, 0)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(ledger::lowWatermark).isInstanceOf(IllegalStateException.class);
  }

  private void open(Limits limits) {
    ledger =
        LedgerOpener.withAck(
            directory.resolve("sub-" + limits),
            Copies.OWNER,
            limits,
            new InitialPosition(0, 0),
            Runnable::run);
  }

  private long deliver(long now) {
    return ledger.deliver(ledger.position(), 1000 + ledger.position(), now);
  }
}
