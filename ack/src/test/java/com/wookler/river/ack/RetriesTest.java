package com.wookler.river.ack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.wookler.river.ack.journal.LedgerOpener;
import com.wookler.river.ack.journal.Owner;
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
        LedgerOpener.withAck(
            directory,
            Owner.of(new UUID(0, 1), "billing"),
            new Limits(TIMEOUT, 100, 1000, retries, false),
            new InitialPosition(0, 0),
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

  private long deliver() {
    long sequence = ledger.position();
    return ledger.deliver(sequence, 1000 + sequence, 0);
  }

  @Test
  void shouldWaitAfterATimeoutByTheAttempt() {
    long tag = deliver();
    ledger.collectTimedOut(TIMEOUT);
    assertThat(ledger.count(EntryState.DELAYED)).isEqualTo(1);
    assertThat(ledger.nextReady()).isEqualTo(-1);
    assertThat(ledger.nextDueMillis()).isEqualTo(TIMEOUT + 50);
    ledger.collectTimedOut(TIMEOUT + 50);
    assertThat(ledger.nextReady()).isZero();
    assertThat(ledger.acknowledge(0, tag)).isEqualTo(AckResult.DONE); // nobody else has it yet
  }

  @Test
  void shouldTakeVerdictsWhileATimedOutMessageWaits() {
    long acked = deliver();
    long extended = deliver();
    long nacked = deliver();
    long released = deliver();
    ledger.collectTimedOut(TIMEOUT);
    assertThat(ledger.acknowledge(0, acked)).isEqualTo(AckResult.DONE);
    assertThat(ledger.extend(1, extended, 9_000, TIMEOUT, 99_000)).isEqualTo(AckResult.DONE);
    assertThat(ledger.retry(2, nacked, 5_000, TIMEOUT)).isEqualTo(AckResult.DONE);
    assertThat(ledger.release(3, released)).isEqualTo(AckResult.DONE);
    assertThat(ledger.count(EntryState.IN_FLIGHT)).isEqualTo(1);
    assertThat(ledger.nextReady()).isEqualTo(3);
    ledger.collectTimedOut(TIMEOUT + 4_999);
    assertThat(ledger.count(EntryState.READY)).isEqualTo(1);
    ledger.collectTimedOut(TIMEOUT + 5_000);
    assertThat(ledger.count(EntryState.READY)).isEqualTo(2);
    assertThat(ledger.count(EntryState.COMPLETED)).isZero();
    assertThat(ledger.lowWatermark()).isEqualTo(1);
  }

  @Test
  void shouldBeSpentWhenTheLastDeliveryTimesOut() {
    long tag = deliver();
    long now = TIMEOUT;
    for (int attempt = 2; attempt <= 3; attempt++) {
      ledger.collectTimedOut(now);
      now += 100;
      ledger.collectTimedOut(now);
      tag = ledger.redeliver(0, now);
      assertThat(Ledger.attempt(tag)).isEqualTo(attempt);
      now += TIMEOUT;
    }
    assertThat(ledger.nextExhausted()).isEqualTo(-1);
    ledger.collectTimedOut(now);
    assertThat(ledger.nextReady()).isEqualTo(-1);
    assertThat(ledger.nextExhausted()).isZero();
    assertThat(ledger.acknowledge(0, tag)).isEqualTo(AckResult.STALE); // it was given up
    assertThat(ledger.unfinished()).isEqualTo(1);
  }

  @Test
  void shouldFinishWhatIsBuried() {
    long tag = deliver();
    deliver();
    assertThat(ledger.startDeadLetter(0, tag)).isEqualTo(AckResult.DONE);
    assertThat(ledger.startDeadLetter(0, tag)).isEqualTo(AckResult.STALE);
    assertThat(ledger.acknowledge(0, tag)).isEqualTo(AckResult.STALE);
    assertThat(ledger.lowWatermark()).isZero(); // until its dead letter is safe
    ledger.collectTimedOut(99 * TIMEOUT);
    assertThat(ledger.nextReady()).isEqualTo(1); // the other one only
    assertThat(ledger.completeDeadLetter(0, tag)).isTrue();
    assertThat(ledger.completeDeadLetter(0, tag)).isFalse();
    assertThat(ledger.lowWatermark()).isEqualTo(1);
  }

  @Test
  void shouldTakeBackWhatCouldNotBeBuried() {
    long tag = deliver();
    ledger.startDeadLetter(0, tag);
    ledger.cancelDeadLetter(0, tag, 5_000);
    assertThat(ledger.count(EntryState.IN_FLIGHT)).isEqualTo(1);
    assertThat(ledger.nextDueMillis()).isEqualTo(5_000 + TIMEOUT);
    assertThat(ledger.acknowledge(0, tag)).isEqualTo(AckResult.DONE);
  }

  @Test
  void shouldBeSpentAfterAsManyRunsThatEndedWithIt() {
    for (int run = 1; run <= 3; run++) {
      assertThat(ledger.skipExhausted()).isFalse();
      assertThat(Ledger.attempt(deliver())).isEqualTo(run);
      reopen();
    }
    assertThat(ledger.attempts(0)).isEqualTo(3);
    assertThat(ledger.skipExhausted()).isTrue();
    assertThat(ledger.position()).isEqualTo(1);
    assertThat(ledger.skipExhausted()).isFalse();
    assertThat(ledger.nextExhausted()).isZero();
    long tag = ledger.startDeadLetter(0);
    assertThat(ledger.nextExhausted()).isEqualTo(-1);
    ledger.cancelDeadLetter(0, tag, 0);
    assertThat(ledger.nextExhausted()).isZero(); // again
    assertThat(ledger.completeDeadLetter(0, ledger.startDeadLetter(0))).isTrue();
    reopen();
    assertThat(ledger.lowWatermark()).isEqualTo(1);
  }

  @Test
  void shouldNotSpendWhatWasReleased() {
    for (int i = 0; i < 10; i++) {
      long tag = ledger.position() == 0 ? deliver() : ledger.redeliver(0, 0);
      assertThat(Ledger.attempt(tag)).isEqualTo(1);
      ledger.release(0, tag);
    }
    assertThat(ledger.nextExhausted()).isEqualTo(-1);
  }

  @Test
  void shouldForgetWhatIsSpentWhenMoved() {
    long tag = deliver();
    ledger.startDeadLetter(0, tag);
    ledger.seek(0);
    assertThat(ledger.completeDeadLetter(0, tag)).isFalse();
    ledger.cancelDeadLetter(0, tag, 0);
    assertThat(ledger.position()).isZero();
    assertThat(Ledger.attempt(deliver())).isEqualTo(1);
  }

  @Test
  void shouldFinishByNameWhatAnEarlierRunBuried() {
    deliver();
    deliver();
    deliver();
    reopen();
    assertThat(ledger.complete(1)).isTrue();
    assertThat(ledger.complete(1)).isFalse();
    assertThat(ledger.count(EntryState.COMPLETED)).isEqualTo(1);
    deliver();
    assertThat(ledger.position()).isEqualTo(2);
    assertThat(ledger.complete(7)).isTrue();
    reopen();
    assertThat(ledger.complete(1)).isFalse();
    assertThat(ledger.complete(0)).isTrue();
    assertThat(ledger.lowWatermark()).isEqualTo(2);
  }

  @Test
  void shouldFindWhatIsAvailable() {
    long first = deliver();
    deliver();
    long third = deliver();
    assertThat(ledger.available(0)).isEqualTo(3);
    ledger.release(2, third);
    assertThat(ledger.available(0)).isEqualTo(2);
    assertThat(ledger.available(3)).isEqualTo(3);
    ledger.acknowledge(0, first);
    assertThat(ledger.available(0)).isEqualTo(2);
  }

  @Test
  void shouldRefuseToBuryWhatIsNotSpent() {
    deliver();
    assertThatThrownBy(() -> ledger.startDeadLetter(0)).isInstanceOf(IllegalStateException.class);
  }
}
