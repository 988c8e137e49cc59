package com.wookler.river.ack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.wookler.river.ack.journal.AckLog;
import com.wookler.river.ack.journal.Copies;
import com.wookler.river.ack.journal.LedgerFiles;
import com.wookler.river.ack.journal.LedgerOpener;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The rules of a ledger in the order of keys. */
class KeyLedgerTest {
  private static final long TIMEOUT = 1000;
  private static final long A = 11;
  private static final long B = 12;
  private static final long NONE = Ledger.NO_KEY;

  @TempDir Path base;

  private Path directory;
  private AckLedger ledger;

  @BeforeEach
  void open() {
    directory = base.resolve("subscriber");
    open(limits(100, 1000));
  }

  @AfterEach
  void close() {
    ledger.close();
  }

  private static Limits limits(int maxInFlight, int window) {
    Retries thrice =
        new Retries() {
          @Override
          public int maxDeliveries() {
            return 3;
          }

          @Override
          public long delayMillis(long sequence, int attempt) {
            return 0;
          }
        };
    return new Limits(TIMEOUT, maxInFlight, window, thrice, true);
  }

  private void open(Limits limits) {
    ledger =
        (AckLedger)
            LedgerOpener.withAck(
                directory, Copies.OWNER, limits, new InitialPosition(0, 0), Runnable::run);
  }

  /** Goes on with what a kill at this moment leaves. */
  private void kill() throws IOException {
    Path copy = Copies.of(directory);
    ledger.close();
    directory = copy;
    open(limits(100, 1000));
  }

  private long read(long key) {
    long sequence = ledger.position();
    return ledger.deliver(sequence, 1000 + sequence, key, 0);
  }

  private long again(long now) {
    return ledger.redeliver(ledger.nextReady(), now);
  }

  @Test
  void shouldHaveLaterOnesOfAKeyWaitAndOthersGoOn() {
    long first = read(A);
    assertThat(read(A)).isEqualTo(Ledger.NOT_NOW);
    assertThat(read(B)).isNotEqualTo(Ledger.NOT_NOW);
    assertThat(read(NONE)).isNotEqualTo(Ledger.NOT_NOW);
    assertThat(read(NONE)).isNotEqualTo(Ledger.NOT_NOW);
    assertThat(ledger.count(EntryState.WAITING)).isEqualTo(1);
    assertThat(ledger.count(EntryState.IN_FLIGHT)).isEqualTo(4);
    assertThat(ledger.unfinished()).isEqualTo(5);
    assertThat(ledger.nextReady()).isEqualTo(-1);
    assertThat(ledger.pollUnlocked()).isFalse();

    ledger.acknowledge(0, first);
    assertThat(ledger.pollUnlocked()).isTrue();
    assertThat(ledger.pollUnlocked()).isFalse();
    assertThat(ledger.nextReady()).isEqualTo(1);
    assertThat(ledger.address(1)).isEqualTo(1001);
    assertThat(Ledger.attempt(again(0))).isEqualTo(1);
    assertThat(ledger.redelivered()).isZero();
    assertThat(ledger.count(EntryState.WAITING)).isZero();
  }

  @Test
  void shouldTakeBackWhatIsInFlightAndNothingElse() {
    long first = read(A);
    read(A);
    long second = read(B);
    long third = read(NONE);
    ledger.acknowledge(0, first); // which makes the one that waits available
    ledger.retry(3, third, 50, 0);
    ledger.takeBack();

    assertThat(ledger.count(EntryState.IN_FLIGHT)).isZero();
    assertThat(ledger.count(EntryState.READY)).isEqualTo(2);
    assertThat(ledger.count(EntryState.DELAYED)).isEqualTo(1);
    assertThat(ledger.isLocked(B)).isTrue();
    assertThat(ledger.acknowledge(2, second)).isEqualTo(AckResult.STALE);
    assertThat(ledger.nextReady()).isEqualTo(1);
    assertThat(Ledger.attempt(again(0))).isEqualTo(1);
    assertThat(ledger.redelivered()).isZero();
    assertThat(Ledger.attempt(again(0))).isEqualTo(2);
    assertThat(ledger.redelivered()).isEqualTo(1);
  }

  @Test
  void shouldTakeBackWhatWasTakenOutOfDeliveryIfThatIsUndone() {
    long undone = read(A);
    long done = read(B);
    ledger.startDeadLetter(0, undone);
    ledger.startDeadLetter(1, done);
    ledger.takeBack();
    assertThat(ledger.completeDeadLetter(1, done)).isTrue();
    ledger.cancelDeadLetter(0, undone, 0);

    assertThat(ledger.acknowledge(0, undone)).isEqualTo(AckResult.STALE);
    assertThat(ledger.nextReady()).isZero();
    long again = again(0);
    assertThat(Ledger.attempt(again)).isEqualTo(2);
    assertThat(ledger.startDeadLetter(0, again)).isEqualTo(AckResult.DONE);
    ledger.cancelDeadLetter(0, again, 0); // of the one that has it now
    assertThat(ledger.acknowledge(0, again)).isEqualTo(AckResult.DONE);
  }

  @Test
  void shouldKeepTheKeyThroughEachFurtherDelivery() {
    long tag = read(A);
    read(A);
    ledger.retry(0, tag, 50, 0);
    assertThat(ledger.nextReady()).isEqualTo(-1);
    ledger.collectTimedOut(50);
    assertThat(ledger.nextReady()).isZero();
    tag = again(50);
    ledger.release(0, tag);
    assertThat(ledger.nextReady()).isZero();
    tag = again(50);
    assertThat(ledger.count(EntryState.READY)).isZero();
    ledger.collectTimedOut(50 + TIMEOUT);
    assertThat(ledger.nextReady()).isZero();
    assertThat(ledger.isLocked(A)).isTrue();
    assertThat(ledger.acknowledge(0, tag)).isEqualTo(AckResult.DONE); // late, but nobody else's
    assertThat(ledger.nextReady()).isEqualTo(1);
  }

  @Test
  void shouldKeepTheKeyUntilTheDeadLetterIsSafe() {
    long tag = read(A);
    read(A);
    ledger.startDeadLetter(0, tag);
    assertThat(ledger.nextReady()).isEqualTo(-1);
    ledger.cancelDeadLetter(0, tag, 0);
    ledger.startDeadLetter(0, tag);
    assertThat(ledger.completeDeadLetter(0, tag)).isTrue();
    assertThat(ledger.nextReady()).isEqualTo(1);
    for (int i = 1; i <= 3; i++) {
      again(i * TIMEOUT);
      ledger.collectTimedOut((i + 1) * TIMEOUT);
    }
    assertThat(ledger.nextExhausted()).isEqualTo(1);
    assertThat(read(A)).isEqualTo(Ledger.NOT_NOW);
    ledger.completeDeadLetter(1, ledger.startDeadLetter(1));
    assertThat(ledger.nextReady()).isEqualTo(2);
  }

  @Test
  void shouldGoOnWhereAMessageIsFinishedWithoutItsHolder() {
    read(A);
    read(A);
    read(A);
    read(B);
    assertThat(ledger.complete(0)).isTrue();
    assertThat(ledger.nextReady()).isEqualTo(1);
    assertThat(ledger.discard(2)).isEqualTo(1);
    assertThat(ledger.nextReady()).isEqualTo(2);
    assertThat(ledger.discard(3)).isEqualTo(1);
    assertThat(ledger.isLocked(A)).isFalse();
    assertThat(ledger.isLocked(B)).isTrue();
    assertThat(ledger.nextReady()).isEqualTo(-1);
  }

  @Test
  void shouldLeaveThoseThatWaitWhenAllUpToOneAreAcknowledged() throws IOException {
    read(A);
    read(A);
    read(A);
    long tag = read(B);
    read(B);
    assertThat(ledger.acknowledgeUpTo(3, tag)).isEqualTo(AckResult.DONE);
    assertThat(ledger.lowWatermark()).isEqualTo(1);
    assertThat(ledger.nextReady()).isEqualTo(1);
    assertThat(ledger.unfinished()).isEqualTo(3);
    long next = again(0);
    assertThat(ledger.nextReady()).isEqualTo(4);
    assertThat(ledger.acknowledgeUpTo(3, tag)).isEqualTo(AckResult.REPEATED);
    assertThat(ledger.acknowledge(1, next)).isEqualTo(AckResult.DONE); // not by the repetition
    kill();
    assertThat(ledger.position()).isEqualTo(2);
    read(A);
    assertThat(ledger.position()).isEqualTo(4);
    assertThat(ledger.attempts(4)).isZero();
  }

  @Test
  void shouldCountOnlyWhatWasHandedOverAfterAKill() throws IOException {
    read(A);
    read(A);
    long other = read(B);
    read(NONE);
    ledger.acknowledge(2, other);
    kill();
    assertThat(ledger.attempts(0)).isEqualTo(1);
    assertThat(ledger.attempts(1)).isZero();
    assertThat(ledger.attempts(3)).isEqualTo(1);
    long first = read(A);
    assertThat(Ledger.attempt(first)).isEqualTo(2);
    assertThat(read(A)).isEqualTo(Ledger.NOT_NOW);
    assertThat(Ledger.attempt(read(NONE))).isEqualTo(2);
    assertThat(ledger.redelivered()).isEqualTo(2);
    ledger.acknowledge(0, first);
    assertThat(Ledger.attempt(again(0))).isEqualTo(1);
    kill();
    assertThat(ledger.attempts(1)).isEqualTo(1);
  }

  @Test
  void shouldSayTheSameFromASnapshot() throws IOException {
    long first = read(A);
    read(A);
    read(NONE);
    for (int i = 0; i < 3 * AckLog.RECORDS; i++) { // a snapshot, and the logs before it are gone
      ledger.release(0, first);
      first = again(0);
    }
    kill();
    assertThat(ledger.recovery().snapshot()).isPositive();
    assertThat(ledger.attempts(0)).isEqualTo(1);
    assertThat(ledger.attempts(1)).isZero();
    assertThat(ledger.attempts(2)).isEqualTo(1);
  }

  @Test
  void shouldReachTheLimitThoughEachDeliveryEndsTheProcess() throws IOException {
    for (int attempt = 1; attempt <= 3; attempt++) {
      assertThat(Ledger.attempt(read(A))).isEqualTo(attempt);
      read(A);
      kill();
    }
    assertThat(read(A)).isEqualTo(Ledger.NOT_NOW);
    assertThat(ledger.nextExhausted()).isZero();
    assertThat(read(A)).isEqualTo(Ledger.NOT_NOW);
    ledger.completeDeadLetter(0, ledger.startDeadLetter(0));
    assertThat(ledger.nextReady()).isEqualTo(1);
    kill();
    assertThat(Ledger.attempt(read(A))).isEqualTo(1);
  }

  @Test
  void shouldSpendAWaitingOneWhoseDeliveriesWereUsedUp() throws IOException {
    read(NONE); // else the low watermark passes the first of the key
    long first = read(A);
    ledger.acknowledge(1, first);
    long last = read(A);
    for (int i = 2; i <= 3; i++) {
      ledger.retry(2, last, 0, 0);
      last = again(0);
    }
    assertThat(Ledger.attempt(last)).isEqualTo(3);
    kill();
    read(A); // as if sequence 0 had the key too: what was damaged may come again
    assertThat(read(A)).isEqualTo(Ledger.NOT_NOW);
    assertThat(ledger.nextExhausted()).isEqualTo(-1);
    ledger.complete(0);
    assertThat(ledger.nextExhausted()).isEqualTo(2);
    assertThat(ledger.pollUnlocked()).isTrue();
  }

  @Test
  void shouldForgetAllKeysAtASeek() {
    read(A);
    read(A);
    ledger.seek(0);
    assertThat(ledger.isLocked(A)).isFalse();
    assertThat(ledger.count(EntryState.WAITING)).isZero();
    assertThat(Ledger.attempt(read(A))).isEqualTo(1);
    assertThat(read(A)).isEqualTo(Ledger.NOT_NOW);
  }

  @Test
  void shouldStopReadingAheadWhenTheWindowIsFull() {
    ledger.close();
    open(limits(2, 4));
    long tag = read(A);
    read(A);
    read(A);
    read(A);
    assertThat(ledger.canDeliver()).isFalse();
    assertThat(ledger.count(EntryState.IN_FLIGHT)).isEqualTo(1);
    ledger.acknowledge(0, tag);
    assertThat(ledger.canDeliver()).isTrue();
    read(B);
    assertThat(ledger.nextReady()).isEqualTo(1); // those due come all the same
  }

  @Test
  void shouldKeepWhatIsFinishedWhenTheCursorIsOfAnotherOrder() throws IOException {
    ledger.acknowledge(0, read(A));
    ledger.close();
    LedgerFiles.Kind kind = LedgerFiles.list(directory, Copies.OWNER).kind();
    assertThat(kind.ack()).isTrue();
    assertThat(kind.byKey()).isTrue();
    try (Ledger other =
        LedgerOpener.withAck(
            directory,
            Copies.OWNER,
            new Limits(1, 1, 1),
            new InitialPosition(0, 0),
            Runnable::run)) {
      assertThat(other.lowWatermark()).isEqualTo(1);
      assertThat(other.recovery().damaged()).isNotEmpty();
    }
  }

  @Test
  void shouldRefuseToFinishOneThatWaits() {
    read(A);
    read(A);
    assertThatThrownBy(() -> ledger.complete(1)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void shouldKeepNothingOfAMillionKeys() {
    ledger.close();
    open(new Limits(TIMEOUT, 10_000, 262_144, Retries.ENDLESS, true));
    for (long s = 0; s < 1_000_000; s++) {
      ledger.acknowledge(s, read(s + 1));
    }
    assertThat(ledger.lowWatermark()).isEqualTo(1_000_000);
    assertThat(ledger.ring.capacity()).isEqualTo(Ring.MIN_CAPACITY);
    assertThat(order().entryCapacity()).isEqualTo(Ring.MIN_CAPACITY);
    assertThat(order().tableCapacity()).isEqualTo(KeyOrder.MIN_TABLE);
  }

  @Tag("full")
  @Test
  void shouldHoldAMillionKeysAtOnce() {
    ledger.close();
    int most = Limits.MAX_WINDOW;
    open(new Limits(TIMEOUT, most, most, Retries.ENDLESS, true));
    long[] tags = new long[1_000_000];
    for (int i = 0; i < tags.length; i++) {
      tags[i] = read(i + 1L);
    }
    assertThat(order().size()).isEqualTo(1_000_000);
    assertThat(order().entryCapacity()).isEqualTo(most);
    assertThat(order().tableCapacity()).isEqualTo(2 * most);
    for (int i = 0; i < tags.length; i++) {
      ledger.acknowledge(i, tags[i]);
    }
    assertThat(ledger.lowWatermark()).isEqualTo(1_000_000);
    assertThat(order().size()).isZero();
  }

  @Test
  void shouldWorkOffAHotKeyOneByOne() {
    ledger.close();
    open(new Limits(TIMEOUT, 10_000, 262_144, Retries.ENDLESS, true));
    long tag = read(A);
    for (int i = 0; i < 100_000; i++) {
      assertThat(read(A)).isEqualTo(Ledger.NOT_NOW);
    }
    assertThat(ledger.count(EntryState.WAITING)).isEqualTo(100_000);
    assertThat(ledger.ring.capacity()).isEqualTo(131_072);
    assertThat(order().entryCapacity()).isEqualTo(131_072);
    assertThat(order().tableCapacity()).isEqualTo(KeyOrder.MIN_TABLE);
    for (long s = 0; s < 100_000; s++) {
      ledger.acknowledge(s, tag);
      assertThat(ledger.nextReady()).isEqualTo(s + 1);
      tag = again(0);
    }
    assertThat(ledger.deadlineCapacity()).isEqualTo(1024);
  }

  private KeyOrder order() {
    KeyOrder order = ledger.keys;
    assertThat(order).isNotNull();
    return order;
  }
}
