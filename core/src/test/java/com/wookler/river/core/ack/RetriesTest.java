package com.wookler.river.core.ack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The limit on deliveries, and the wait between them, across restarts too. */
class RetriesTest {
  private static final long TIMEOUT = 1000;

  @TempDir Path directory;

  private Ledger ledger;

  @BeforeEach
  void open() {
    Retries retries =
        new Retries() {
          @Override
          public int maxDeliveries() {
            return 3;
          }

          @Override
          public long delayMillis(long sequence, int attempt) {
            return attempt * 50L;
          }
        };
    ledger =
        Ledgers.withAck(
            directory,
            Owner.of(new UUID(0, 1), "billing"),
            new Limits(TIMEOUT, 100, 1000, retries, false),
            new Origin(0, 0),
            Runnable::run);
  }

  @AfterEach
  void close() {
    ledger.close();
  }

  private void reopen() {
    ledger.close();
    open();
  }

  private long handOver() {
    long sequence = ledger.position();
    return ledger.handOver(sequence, 1000 + sequence, 0);
  }

  @Test
  void shouldWaitAfterATimeoutByTheAttempt() {
    long ticket = handOver();
    ledger.expire(TIMEOUT);
    assertThat(ledger.delayed()).isEqualTo(1);
    assertThat(ledger.nextReady()).isEqualTo(-1);
    assertThat(ledger.nextDueMillis()).isEqualTo(TIMEOUT + 50);
    ledger.expire(TIMEOUT + 50);
    assertThat(ledger.nextReady()).isZero();
    assertThat(ledger.acknowledge(0, ticket)).isEqualTo(Outcome.DONE); // nobody else has it yet
  }

  @Test
  void shouldTakeVerdictsWhileATimedOutMessageWaits() {
    long acked = handOver();
    long extended = handOver();
    long nacked = handOver();
    long released = handOver();
    ledger.expire(TIMEOUT);
    assertThat(ledger.acknowledge(0, acked)).isEqualTo(Outcome.DONE);
    assertThat(ledger.extend(1, extended, 9_000, TIMEOUT, 99_000)).isEqualTo(Outcome.DONE);
    assertThat(ledger.retry(2, nacked, 5_000, TIMEOUT)).isEqualTo(Outcome.DONE);
    assertThat(ledger.release(3, released)).isEqualTo(Outcome.DONE);
    assertThat(ledger.inFlight()).isEqualTo(1);
    assertThat(ledger.nextReady()).isEqualTo(3);
    ledger.expire(TIMEOUT + 4_999);
    assertThat(ledger.ready()).isEqualTo(1);
    ledger.expire(TIMEOUT + 5_000);
    assertThat(ledger.ready()).isEqualTo(2);
    assertThat(ledger.finishedAboveFloor()).isZero();
    assertThat(ledger.floor()).isEqualTo(1);
  }

  @Test
  void shouldBeSpentWhenTheLastDeliveryTimesOut() {
    long ticket = handOver();
    long now = TIMEOUT;
    for (int attempt = 2; attempt <= 3; attempt++) {
      ledger.expire(now);
      now += 100;
      ledger.expire(now);
      ticket = ledger.redeliver(0, now);
      assertThat(Ledger.attempt(ticket)).isEqualTo(attempt);
      now += TIMEOUT;
    }
    assertThat(ledger.nextSpent()).isEqualTo(-1);
    ledger.expire(now);
    assertThat(ledger.nextReady()).isEqualTo(-1);
    assertThat(ledger.nextSpent()).isZero();
    assertThat(ledger.acknowledge(0, ticket)).isEqualTo(Outcome.STALE); // it was given up
    assertThat(ledger.unfinished()).isEqualTo(1);
  }

  @Test
  void shouldFinishWhatIsBuried() {
    long ticket = handOver();
    handOver();
    assertThat(ledger.bury(0, ticket)).isEqualTo(Outcome.DONE);
    assertThat(ledger.bury(0, ticket)).isEqualTo(Outcome.STALE);
    assertThat(ledger.acknowledge(0, ticket)).isEqualTo(Outcome.STALE);
    assertThat(ledger.floor()).isZero(); // until its dead letter is safe
    ledger.expire(99 * TIMEOUT);
    assertThat(ledger.nextReady()).isEqualTo(1); // the other one only
    assertThat(ledger.buried(0, ticket)).isTrue();
    assertThat(ledger.buried(0, ticket)).isFalse();
    assertThat(ledger.floor()).isEqualTo(1);
  }

  @Test
  void shouldTakeBackWhatCouldNotBeBuried() {
    long ticket = handOver();
    ledger.bury(0, ticket);
    ledger.exhume(0, ticket, 5_000);
    assertThat(ledger.inFlight()).isEqualTo(1);
    assertThat(ledger.nextDueMillis()).isEqualTo(5_000 + TIMEOUT);
    assertThat(ledger.acknowledge(0, ticket)).isEqualTo(Outcome.DONE);
  }

  @Test
  void shouldBeSpentAfterAsManyRunsThatEndedWithIt() {
    for (int run = 1; run <= 3; run++) {
      assertThat(ledger.skipSpent()).isFalse();
      assertThat(Ledger.attempt(handOver())).isEqualTo(run);
      reopen();
    }
    assertThat(ledger.attempts(0)).isEqualTo(3);
    assertThat(ledger.skipSpent()).isTrue();
    assertThat(ledger.position()).isEqualTo(1);
    assertThat(ledger.skipSpent()).isFalse();
    assertThat(ledger.nextSpent()).isZero();
    long ticket = ledger.bury(0);
    assertThat(ledger.nextSpent()).isEqualTo(-1);
    ledger.exhume(0, ticket, 0);
    assertThat(ledger.nextSpent()).isZero(); // again
    assertThat(ledger.buried(0, ledger.bury(0))).isTrue();
    reopen();
    assertThat(ledger.floor()).isEqualTo(1);
  }

  @Test
  void shouldNotSpendWhatWasReleased() {
    for (int i = 0; i < 10; i++) {
      long ticket = ledger.position() == 0 ? handOver() : ledger.redeliver(0, 0);
      assertThat(Ledger.attempt(ticket)).isEqualTo(1);
      ledger.release(0, ticket);
    }
    assertThat(ledger.nextSpent()).isEqualTo(-1);
  }

  @Test
  void shouldForgetWhatIsSpentWhenMoved() {
    long ticket = handOver();
    ledger.bury(0, ticket);
    ledger.seek(0);
    assertThat(ledger.buried(0, ticket)).isFalse();
    ledger.exhume(0, ticket, 0);
    assertThat(ledger.position()).isZero();
    assertThat(Ledger.attempt(handOver())).isEqualTo(1);
  }

  @Test
  void shouldFinishByNameWhatAnEarlierRunBuried() {
    handOver();
    handOver();
    handOver();
    reopen();
    assertThat(ledger.finish(1)).isTrue();
    assertThat(ledger.finish(1)).isFalse();
    assertThat(ledger.finishedAboveFloor()).isEqualTo(1);
    handOver();
    assertThat(ledger.position()).isEqualTo(2);
    assertThat(ledger.finish(7)).isTrue();
    reopen();
    assertThat(ledger.finish(1)).isFalse();
    assertThat(ledger.finish(0)).isTrue();
    assertThat(ledger.floor()).isEqualTo(2);
  }

  @Test
  void shouldFindWhatIsAvailable() {
    long first = handOver();
    handOver();
    long third = handOver();
    assertThat(ledger.available(0)).isEqualTo(3);
    ledger.release(2, third);
    assertThat(ledger.available(0)).isEqualTo(2);
    assertThat(ledger.available(3)).isEqualTo(3);
    ledger.acknowledge(0, first);
    assertThat(ledger.available(0)).isEqualTo(2);
  }

  @Test
  void shouldRefuseToBuryWhatIsNotSpent() {
    handOver();
    assertThatThrownBy(() -> ledger.bury(0)).isInstanceOf(IllegalStateException.class);
  }
}
