package com.wookler.river.core.ack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
    assertThat(handOver(0)).extracting(Ledger::attempt).isEqualTo(1);
    handOver(0);
    assertThat(ledger.position()).isEqualTo(2);
    assertThat(ledger.floor()).isZero();
    assertThat(ledger.inFlight()).isEqualTo(2);
    assertThat(ledger.unfinished()).isEqualTo(2);
    assertThat(ledger.location(1)).isEqualTo(1001);
  }

  @Test
  void shouldRefuseToHandOverOutOfOrder() {
    assertThatThrownBy(() -> ledger.handOver(1, 0, 0)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void shouldMoveTheFloorOverFinishedOnes() {
    long first = handOver(0);
    long second = handOver(0);
    assertThat(ledger.acknowledge(1, second)).isEqualTo(Outcome.DONE);
    assertThat(ledger.floor()).isZero();
    assertThat(ledger.finishedAboveFloor()).isEqualTo(1);
    assertThat(ledger.acknowledge(0, first)).isEqualTo(Outcome.DONE);
    assertThat(ledger.floor()).isEqualTo(2);
    assertThat(ledger.finishedAboveFloor()).isZero();
    assertThat(ledger.unfinished()).isZero();
  }

  @Test
  void shouldTellRepeatedFromStale() {
    long first = handOver(0);
    long second = handOver(0);
    ledger.acknowledge(1, second);
    assertThat(ledger.acknowledge(1, second)).isEqualTo(Outcome.REPEATED);
    assertThat(ledger.release(1, second)).isEqualTo(Outcome.REPEATED);
    assertThat(ledger.acknowledge(1, first + 1)).isEqualTo(Outcome.STALE);
    ledger.acknowledge(0, first);
    assertThat(ledger.acknowledge(0, first)).isEqualTo(Outcome.STALE);
    assertThat(ledger.acknowledge(77, first)).isEqualTo(Outcome.STALE);
  }

  @Test
  void shouldRedeliverWhenAckTimeoutPasses() {
    long old = handOver(0);
    assertThat(ledger.nextDueMillis()).isEqualTo(TIMEOUT);
    assertThat(ledger.expire(TIMEOUT - 1)).isZero();
    assertThat(ledger.nextReady()).isEqualTo(-1);
    assertThat(ledger.expire(TIMEOUT)).isEqualTo(1);
    assertThat(ledger.nextReady()).isZero();
    assertThat(ledger.timedOut()).isEqualTo(1);
    long fresh = ledger.redeliver(0, TIMEOUT);
    assertThat(Ledger.attempt(fresh)).isEqualTo(2);
    assertThat(ledger.location(0)).isEqualTo(1000);
    assertThat(ledger.redelivered()).isEqualTo(1);
    assertThat(ledger.acknowledge(0, old)).isEqualTo(Outcome.STALE);
    assertThat(ledger.acknowledge(0, fresh)).isEqualTo(Outcome.DONE);
    assertThat(ledger.nextDueMillis()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void shouldAcceptALateAckThatNobodyHasOvertaken() {
    long ticket = handOver(0);
    ledger.expire(TIMEOUT);
    assertThat(ledger.acknowledge(0, ticket)).isEqualTo(Outcome.DONE);
    assertThat(ledger.nextReady()).isEqualTo(-1);
    assertThat(ledger.floor()).isEqualTo(1);
  }

  @Test
  void shouldFinishAllUpToOne() {
    long done = handOver(0);
    long ready = handOver(0);
    long delayed = handOver(0);
    handOver(0);
    long last = handOver(0);
    long above = handOver(0);
    ledger.acknowledge(0, done);
    ledger.release(1, ready);
    ledger.retry(2, delayed, 10, 0);
    assertThat(ledger.acknowledgeUpTo(4, last)).isEqualTo(Outcome.DONE);
    assertThat(ledger.floor()).isEqualTo(5);
    assertThat(ledger.acknowledgeUpTo(4, last)).isEqualTo(Outcome.STALE);
    assertThat(ledger.acknowledge(5, above)).isEqualTo(Outcome.DONE);
    assertThat(ledger.nextReady()).isEqualTo(-1);
    assertThat(ledger.nextDueMillis()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void shouldFinishWhatLiesBelowThoughTheOneItselfWasFinished() {
    handOver(0);
    long last = handOver(0);
    ledger.acknowledge(1, last);
    assertThat(ledger.acknowledgeUpTo(1, last)).isEqualTo(Outcome.DONE);
    assertThat(ledger.floor()).isEqualTo(2);
  }

  @Test
  void shouldNotCountAReleasedAttempt() {
    long old = handOver(0);
    assertThat(ledger.release(0, old)).isEqualTo(Outcome.DONE);
    assertThat(ledger.ready()).isEqualTo(1);
    assertThat(ledger.acknowledge(0, old)).isEqualTo(Outcome.STALE);
    assertThat(ledger.release(0, old)).isEqualTo(Outcome.STALE);
    long fresh = ledger.redeliver(0, 0);
    assertThat(Ledger.attempt(fresh)).isEqualTo(1);
    assertThat(fresh).isNotEqualTo(old);
    assertThat(ledger.acknowledge(0, old)).isEqualTo(Outcome.STALE);
    assertThat(ledger.acknowledge(0, fresh)).isEqualTo(Outcome.DONE);
  }

  @Test
  void shouldRetryAfterTheDelayWithTheAttemptCounted() {
    long ticket = handOver(0);
    assertThat(ledger.retry(0, ticket, 5000, 10)).isEqualTo(Outcome.DONE);
    assertThat(ledger.delayed()).isEqualTo(1);
    assertThat(ledger.inFlight()).isZero();
    assertThat(ledger.nextDueMillis()).isEqualTo(5010);
    ledger.expire(5009);
    assertThat(ledger.nextReady()).isEqualTo(-1);
    ledger.expire(5010);
    assertThat(ledger.timedOut()).isZero();
    assertThat(Ledger.attempt(ledger.redeliver(0, 5010))).isEqualTo(2);
  }

  @Test
  void shouldRetryAtOnceWithoutADelay() {
    long ticket = handOver(0);
    ledger.retry(0, ticket, 0, 0);
    assertThat(Ledger.attempt(ledger.redeliver(0, 0))).isEqualTo(2);
  }

  @Test
  void shouldGiveMoreTimeUpToTheLatest() {
    long ticket = handOver(0);
    assertThat(ledger.extend(0, ticket, 3000, 500, 10_000)).isEqualTo(Outcome.DONE);
    assertThat(ledger.expire(3499)).isZero();
    assertThat(ledger.extend(0, ticket, 3000, 500, 600)).isEqualTo(Outcome.DONE);
    assertThat(ledger.nextDueMillis()).isEqualTo(600);
    assertThat(ledger.expire(600)).isEqualTo(1);
  }

  @Test
  void shouldTakeBackIntoFlightWhatIsExtendedAfterItsTimeout() {
    long ticket = handOver(0);
    ledger.expire(TIMEOUT);
    assertThat(ledger.extend(0, ticket, 50, TIMEOUT, Long.MAX_VALUE)).isEqualTo(Outcome.DONE);
    assertThat(ledger.inFlight()).isEqualTo(1);
    assertThat(ledger.nextReady()).isEqualTo(-1);
    assertThat(ledger.expire(TIMEOUT + 50)).isEqualTo(1);
    assertThat(ledger.nextReady()).isZero();
  }

  @Test
  void shouldRedeliverFirstComeFirstServed() {
    long a = handOver(0);
    long b = handOver(0);
    long c = handOver(0);
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
    long a = handOver(0);
    handOver(0);
    ledger.expire(TIMEOUT);
    ledger.extend(0, a, 1, TIMEOUT, Long.MAX_VALUE);
    ledger.expire(TIMEOUT + 1);
    assertThat(ledger.nextReady()).isEqualTo(1);
  }

  @Test
  void shouldRespectTheInFlightLimitForNewAndOld() {
    ledger.close();
    open(new Limits(TIMEOUT, 2, 1000));
    long a = handOver(0);
    handOver(0);
    assertThat(ledger.hasRoom()).isFalse();
    assertThatThrownBy(() -> handOver(0)).isInstanceOf(IllegalStateException.class);
    ledger.release(0, a);
    assertThat(ledger.hasRoom()).isTrue();
    handOver(0);
    assertThat(ledger.nextReady()).isEqualTo(-1);
    assertThatThrownBy(() -> ledger.redeliver(0, 0)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void shouldStopReadingAheadWhenTheWindowIsFull() {
    ledger.close();
    open(new Limits(TIMEOUT, 100, 3));
    final long stuck = handOver(0);
    ledger.acknowledge(1, handOver(0));
    ledger.acknowledge(2, handOver(0));
    assertThat(ledger.hasRoom()).isFalse();
    ledger.expire(TIMEOUT);
    assertThat(ledger.nextReady()).isZero();
    ledger.acknowledge(0, stuck);
    assertThat(ledger.hasRoom()).isTrue();
    assertThat(ledger.floor()).isEqualTo(3);
  }

  @Test
  void shouldSkipAGapOfAnySizeWhenNothingIsUnfinished() {
    assertThat(ledger.skip(3_000_000_000L)).isEqualTo(3_000_000_000L);
    assertThat(ledger.floor()).isEqualTo(3_000_000_000L);
    assertThat(ledger.skip(5)).isEqualTo(3_000_000_000L);
  }

  @Test
  void shouldSkipAsFarAsTheWindowAllows() {
    long stuck = handOver(0);
    assertThat(ledger.skip(5000)).isEqualTo(1000);
    assertThat(ledger.hasRoom()).isFalse();
    assertThat(ledger.acknowledge(7, stuck)).isEqualTo(Outcome.STALE);
    ledger.acknowledge(0, stuck);
    assertThat(ledger.floor()).isEqualTo(1000);
    assertThat(ledger.skip(5000)).isEqualTo(5000);
    assertThat(Ledger.attempt(ledger.handOver(5000, 0, 0))).isEqualTo(1);
  }

  @Test
  void shouldVoidAllTicketsOnSeek() {
    long a = handOver(0);
    handOver(0);
    ledger.seek(0);
    assertThat(ledger.floor()).isZero();
    assertThat(ledger.position()).isZero();
    assertThat(ledger.inFlight()).isZero();
    long again = handOver(0);
    assertThat(Ledger.attempt(again)).isEqualTo(1);
    assertThat(ledger.acknowledge(0, a)).isEqualTo(Outcome.STALE);
    assertThat(ledger.acknowledge(0, again)).isEqualTo(Outcome.DONE);
    ledger.seek(50);
    assertThat(ledger.floor()).isEqualTo(50);
    assertThat(ledger.nextDueMillis()).isEqualTo(Long.MAX_VALUE);
    assertThatThrownBy(() -> ledger.seek(-1)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void shouldStayAtTheHighestAttempt() {
    handOver(0);
    long ticket = 0;
    for (int i = 0; i < Ledger.MAX_ATTEMPT + 10; i++) {
      ledger.expire(TIMEOUT);
      ledger.extend(0, ticket, -1, 0, 0);
      long now = (i + 1) * TIMEOUT;
      ledger.expire(now);
      long before = ticket;
      ticket = ledger.redeliver(0, now);
      assertThat(ticket).isNotEqualTo(before);
    }
    assertThat(Ledger.attempt(ticket)).isEqualTo(Ledger.MAX_ATTEMPT);
    assertThat(ledger.acknowledge(0, ticket)).isEqualTo(Outcome.DONE);
  }

  @Test
  void shouldKeepDeadlinesApartThatAreFarAway() {
    long near = handOver(0);
    long far = handOver(0);
    ledger.retry(1, far, 1L << 32, 0);
    ledger.retry(0, near, Long.MAX_VALUE, 0);
    assertThat(ledger.nextDueMillis()).isEqualTo(1L << 32);
    assertThat(ledger.expire(1L << 31)).isZero();
    assertThat(ledger.expire(1L << 32)).isEqualTo(1);
    assertThat(ledger.nextReady()).isEqualTo(1);
    assertThat(ledger.nextDueMillis()).isEqualTo(Limits.MAX_DELAY_MILLIS);
  }

  @Test
  void shouldRefuseEverythingAfterClose() {
    long ticket = handOver(0);
    ledger.close();
    ledger.close();
    ledger.force();
    assertThat(ledger.recovery().created()).isTrue();
    assertThatThrownBy(() -> ledger.acknowledge(0, ticket))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> ledger.handOver(1, 0, 0)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> ledger.skip(9)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> ledger.seek(9)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> ledger.redeliver(0, 0)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(ledger::floor).isInstanceOf(IllegalStateException.class);
  }

  private void open(Limits limits) {
    ledger =
        Ledgers.withAck(
            directory.resolve("sub-" + limits),
            Copies.OWNER,
            limits,
            new Origin(0, 0),
            Runnable::run);
  }

  private long handOver(long now) {
    return ledger.handOver(ledger.position(), 1000 + ledger.position(), now);
  }
}
