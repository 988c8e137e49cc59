package com.wookler.river.ack.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import com.wookler.river.ack.AckJournal;
import com.wookler.river.ack.AckResult;
import com.wookler.river.ack.EntryState;
import com.wookler.river.ack.InitialPosition;
import com.wookler.river.ack.Ledger;
import com.wookler.river.ack.Limits;
import com.wookler.river.ack.Retries;
import com.wookler.river.ack.Ring;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Queue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What is delayed waits for the rest of its time when the ledger is opened anew. Many are as many
 * as {@code -Driver.delayed.many} says, a power of two up to the largest window.
 */
class NotBeforeTest {
  private static final int MANY = Integer.getInteger("river.delayed.many", 1 << 17);
  private static final int TIMEOUT = 1_000;
  private static final int BACKOFF = 500;
  private static final long START = 1_800_000_000_000L;
  private static final InitialPosition ORIGIN = new InitialPosition(0, 0);

  @TempDir Path base;

  private final Queue<Runnable> flusher = new ArrayDeque<>();
  private int maxDeliveries;

  private Limits limits(boolean byKey) {
    Retries retries =
        new Retries() {
          @Override
          public int maxDeliveries() {
            return maxDeliveries;
          }

          @Override
          public long delayMillis(long sequence, int attempt) {
            return BACKOFF;
          }
        };
    return new Limits(TIMEOUT, Limits.MAX_WINDOW, Limits.MAX_WINDOW, retries, byKey);
  }

  private Ledger open() {
    return open(base.resolve("subscriber"), false);
  }

  private Ledger open(Path directory, boolean byKey) {
    return LedgerOpener.withAck(directory, Copies.OWNER, limits(byKey), ORIGIN, flusher::add);
  }

  /** As a kill at this moment leaves it. */
  private Ledger killed() throws IOException {
    return open(Copies.of(base.resolve("subscriber")), false);
  }

  private void flush() {
    for (Runnable task = flusher.poll(); task != null; task = flusher.poll()) {
      task.run();
    }
  }

  /** Delivers what is new, up to this end. */
  private static long[] deliver(Ledger ledger, int end, long now) {
    long[] tags = new long[end];
    while (ledger.position() < end) {
      int sequence = (int) ledger.position();
      tags[sequence] = ledger.deliver(sequence, sequence + 1, now);
    }
    return tags;
  }

  private static void delay(Ledger ledger, long millis) {
    long sequence = ledger.position();
    ledger.retry(sequence, ledger.deliver(sequence, 1, START), millis, START);
  }

  private static void shouldWaitUntil(Ledger ledger, long sequence, long due, int attempt) {
    assertThat(ledger.position()).isEqualTo(sequence);
    assertThat(ledger.isPostponed(sequence, due)).isFalse();
    assertThat(ledger.isPostponed(sequence, due - 1)).isTrue();
    assertThat(ledger.skipPostponed(due - 1)).isTrue();
    assertThat(ledger.position()).isEqualTo(sequence + 1);
    assertThat(ledger.isPostponed(sequence, due - 1)).isFalse(); // it was looked at
    assertThat(ledger.address(sequence)).isZero();
    assertThat(ledger.count(EntryState.DELAYED)).isEqualTo(1);
    assertThat(ledger.nextDueMillis()).isEqualTo(due);
    assertThat(ledger.collectTimedOut(due - 1)).isZero();
    assertThat(ledger.nextReady()).isEqualTo(-1);
    assertThat(ledger.collectTimedOut(due)).isEqualTo(1);
    assertThat(ledger.nextReady()).isEqualTo(sequence);
    long tag = ledger.redeliver(sequence, due);
    assertThat(Ledger.attempt(tag)).isEqualTo(attempt);
    assertThat(ledger.acknowledge(sequence, tag)).isEqualTo(AckResult.DONE);
  }

  private static void shouldComeAtOnce(Ledger ledger, long sequence, int attempt) {
    assertThat(ledger.position()).isEqualTo(sequence);
    assertThat(ledger.isPostponed(sequence, START)).isFalse();
    assertThat(ledger.skipPostponed(START)).isFalse();
    assertThat(Ledger.attempt(ledger.deliver(sequence, 1, START))).isEqualTo(attempt);
  }

  @Test
  void shouldWaitForTheRestOfItsTimeAfterAKillAndAClose() throws IOException {
    try (Ledger ledger = open()) {
      delay(ledger, 5_000);
      assertThat(ledger.count(EntryState.DELAYED)).isEqualTo(1);
      try (Ledger killed = killed()) {
        assertThat(killed.recovery().delayed()).isEqualTo(1);
        assertThat(killed.recovery().torn()).isZero();
        shouldWaitUntil(killed, 0, START + 5_000, 2);
      }
    }
    try (Ledger ledger = open()) {
      shouldWaitUntil(ledger, 0, START + 5_000, 2);
    }
    try (Ledger ledger = open()) {
      assertThat(ledger.recovery().delayed()).isZero();
      assertThat(ledger.lowWatermark()).isEqualTo(1);
    }
  }

  @Test
  void shouldWaitAcrossAnyNumberOfReopenings() {
    try (Ledger ledger = open()) {
      delay(ledger, 5_000);
    }
    for (int i = 0; i < 20; i++) { // so that it is in snapshots only
      try (Ledger ledger = open()) {
        if (i % 2 == 0) {
          assertThat(ledger.skipPostponed(START)).isTrue();
        }
        flush();
      }
    }
    try (Ledger ledger = open()) {
      shouldWaitUntil(ledger, 0, START + 5_000, 2);
    }
  }

  @Test
  void shouldComeInItsPlaceWhenItsTimeCameWhileTheLedgerWasClosed() {
    try (Ledger ledger = open()) {
      long[] tags = deliver(ledger, 3, START);
      ledger.retry(1, tags[1], 5_000, START);
    }
    try (Ledger ledger = open()) {
      for (int sequence = 0; sequence < 3; sequence++) {
        assertThat(ledger.skipPostponed(START + 5_000)).isFalse();
        assertThat(ledger.position()).isEqualTo(sequence);
        assertThat(Ledger.attempt(ledger.deliver(sequence, 1, START + 5_000))).isEqualTo(2);
      }
    }
  }

  @Test
  void shouldKeepTheBackoffThatATimeoutBegan() {
    try (Ledger ledger = open()) {
      ledger.deliver(0, 1, START);
      ledger.collectTimedOut(START + TIMEOUT + 100); // the wait counts from the timeout
    }
    try (Ledger ledger = open()) {
      shouldWaitUntil(ledger, 0, START + TIMEOUT + BACKOFF, 2);
    }
  }

  @Test
  void shouldNotWaitForATimeoutThatNobodyNoticed() {
    try (Ledger ledger = open()) {
      ledger.deliver(0, 1, START);
    }
    try (Ledger ledger = open()) {
      shouldComeAtOnce(ledger, 0, 2);
    }
  }

  /** What ends a wait. */
  enum End {
    REDELIVERY(3),
    RELEASE(1),
    NACK_WITHOUT_DELAY(2),
    EXTEND(2);

    private final int nextAttempt;

    End(int nextAttempt) {
      this.nextAttempt = nextAttempt;
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldNotWaitWhenTheWaitHadEnded(End end) throws IOException {
    long now = START + TIMEOUT;
    try (Ledger ledger = open()) {
      long tag = ledger.deliver(0, 1, START);
      ledger.collectTimedOut(now);
      assertThat(ledger.count(EntryState.DELAYED)).isEqualTo(1);
      switch (end) {
        case REDELIVERY -> {
          ledger.collectTimedOut(now + BACKOFF);
          ledger.redeliver(0, now + BACKOFF);
        }
        case RELEASE -> ledger.release(0, tag);
        case NACK_WITHOUT_DELAY -> ledger.retry(0, tag, 0, now);
        case EXTEND -> ledger.extend(0, tag, 10_000, now, Long.MAX_VALUE);
      }
      assertThat(ledger.count(EntryState.DELAYED)).isZero();
      try (Ledger killed = killed()) {
        assertThat(killed.recovery().delayed()).isZero();
        shouldComeAtOnce(killed, 0, end.nextAttempt);
      }
    }
  }

  @Test
  void shouldForgetTheWaitOfWhatIsFinishedOrMovedOver() throws IOException {
    try (Ledger ledger = open()) {
      long[] tags = deliver(ledger, 6, START);
      ledger.collectTimedOut(START + TIMEOUT); // all wait
      ledger.acknowledge(0, tags[0]);
      ledger.acknowledge(2, tags[2]);
      ledger.discard(2);
      try (Ledger killed = killed()) {
        assertThat(killed.recovery().delayed()).isEqualTo(3);
        killed.skip(6); // over all that are postponed
        assertThat(killed.lowWatermark()).isEqualTo(6);
        assertThat(killed.count(EntryState.DELAYED)).isZero();
        assertThat(killed.nextDueMillis()).isEqualTo(Long.MAX_VALUE);
      }
      ledger.seek(3);
      try (Ledger killed = killed()) {
        assertThat(killed.recovery().delayed()).isZero();
        shouldComeAtOnce(killed, 3, 1);
      }
    }
  }

  @Test
  void shouldWaitNoLongerThanWasAskedWhenTheClockWasSetBack() {
    long year = 365L * 24 * 3_600_000;
    try (Ledger ledger = open()) {
      delay(ledger, 4_500);
      delay(ledger, 3_600_000);
    }
    long now = START - year;
    for (int i = 0; i < 2; i++) { // a second reopening changes nothing
      try (Ledger ledger = open()) {
        assertThat(ledger.skipPostponed(now)).isTrue();
        assertThat(ledger.skipPostponed(now + 10)).isTrue();
        assertThat(ledger.nextDueMillis()).isEqualTo(START - year + 5_000);
        assertThat(ledger.collectTimedOut(START - year + 5_000)).isEqualTo(1);
        assertThat(ledger.nextDueMillis()).isEqualTo(START - year + 10 + 3_600_000);
      }
      now += 1_000;
    }
    try (Ledger ledger = open()) {
      assertThat(ledger.skipPostponed(START)).isFalse(); // the clock is right again
    }
  }

  @Test
  void shouldWaitOnceMoreAtMostWhenTheClockIsSetBackBeforeATimeThatHadCome() {
    long before = START - 3_600_000;
    try (Ledger ledger = open()) {
      delay(ledger, 4_500);
      assertThat(ledger.collectTimedOut(START + 4_500)).isEqualTo(1);
    }
    try (Ledger ledger = open()) {
      assertThat(ledger.isPostponed(0, START + 4_500)).isFalse(); // and nobody asks for it
    }
    try (Ledger ledger = open()) {
      assertThat(ledger.skipPostponed(before)).isTrue();
      assertThat(ledger.nextDueMillis()).isEqualTo(before + 5_000);
      assertThat(ledger.collectTimedOut(before + 5_000)).isEqualTo(1);
      assertThat(Ledger.attempt(ledger.redeliver(0, before + 5_000))).isEqualTo(2);
    }
    try (Ledger ledger = open()) {
      assertThat(ledger.skipPostponed(before)).isFalse(); // it was delivered since
      assertThat(Ledger.attempt(ledger.deliver(0, 1, before))).isEqualTo(3);
    }
  }

  @Test
  void shouldKeepAnyDelayButForTheLongestOfAll() {
    long day = 24L * 3_600_000;
    try (Ledger ledger = open()) {
      delay(ledger, 1);
      delay(ledger, 366 * day);
      delay(ledger, Long.MAX_VALUE);
    }
    try (Ledger ledger = open()) {
      assertThat(ledger.skipPostponed(START)).isTrue();
      assertThat(ledger.skipPostponed(START)).isTrue();
      assertThat(ledger.skipPostponed(START)).isTrue();
      assertThat(ledger.collectTimedOut(START + 1)).isEqualTo(1);
      assertThat(ledger.collectTimedOut(START + 366 * day - 1)).isZero();
      assertThat(ledger.collectTimedOut(START + 366 * day)).isEqualTo(1);
      assertThat(ledger.nextDueMillis()).isEqualTo(START + AckJournal.MAX_NUMBER * 1_000L);
    }
  }

  @Test
  void shouldGiveUpAtOnceWhatHasNoDeliveryLeftByNewLimits() {
    try (Ledger ledger = open()) {
      delay(ledger, 5_000);
    }
    maxDeliveries = 1;
    try (Ledger ledger = open()) {
      assertThat(ledger.skipPostponed(START)).isFalse();
      assertThat(ledger.skipExhausted()).isTrue();
      assertThat(ledger.nextExhausted()).isZero();
    }
  }

  @Test
  void shouldKeepItsKeyWhileItWaits() {
    Path directory = base.resolve("keyed");
    try (Ledger ledger = open(directory, true)) {
      long tag = ledger.deliver(0, 1, 7, START);
      ledger.retry(0, tag, 5_000, START);
      assertThat(ledger.deliver(1, 2, 7, START)).isEqualTo(Ledger.NOT_NOW);
    }
    try (Ledger ledger = open(directory, true)) {
      assertThat(ledger.recovery().delayed()).isEqualTo(1);
      assertThat(ledger.deliver(0, 11, 7, START + 1)).isEqualTo(Ledger.NOT_NOW);
      assertThat(ledger.isLocked(7)).isTrue();
      assertThat(ledger.deliver(1, 12, 7, START + 1)).isEqualTo(Ledger.NOT_NOW);
      ledger.acknowledge(2, ledger.deliver(2, 13, 8, START + 1));
      assertThat(ledger.count(EntryState.DELAYED)).isEqualTo(1);
      assertThat(ledger.count(EntryState.WAITING)).isEqualTo(1);
      assertThat(ledger.collectTimedOut(START + 5_000)).isEqualTo(1);
      assertThat(ledger.nextReady()).isZero();
      assertThat(ledger.address(0)).isEqualTo(11);
      long tag = ledger.redeliver(0, START + 5_000);
      assertThat(Ledger.attempt(tag)).isEqualTo(2);
      ledger.acknowledge(0, tag);
      assertThat(ledger.pollUnlocked()).isTrue();
      assertThat(ledger.count(EntryState.READY)).isEqualTo(1);
    }
  }

  @Test
  void shouldComeAtOnceByKeyWhenItsTimeHasCome() {
    Path directory = base.resolve("keyed");
    try (Ledger ledger = open(directory, true)) {
      ledger.retry(0, ledger.deliver(0, 1, 7, START), 5_000, START);
    }
    try (Ledger ledger = open(directory, true)) {
      assertThat(Ledger.attempt(ledger.deliver(0, 11, 7, START + 5_000))).isEqualTo(2);
    }
  }

  @Test
  void shouldKeepManyInSnapshotsAndFromTheOneBeforeIfTheNewestIsDamaged() throws IOException {
    int count = MANY;
    Path directory = base.resolve("subscriber");
    try (Ledger ledger = open()) {
      long[] tags = deliver(ledger, count, START);
      for (int s = 0; s < count; s++) {
        if (s % 4 != 0) {
          ledger.retry(s, tags[s], 10_000 + s, START);
        }
        if (s % 10_000 == 0) {
          flush();
        }
      }
    }
    flush();
    shouldDelayThreeOfFour(Copies.of(directory), count);
    try (Ledger ledger = open()) {
      assertThat(ledger.recovery().damaged()).isEmpty();
      releaseTheOthers(ledger, count);
      flush();
    }
    Path copy = Copies.of(directory);
    Path newest = newestSnapshot(copy);
    byte[] bytes = Files.readAllBytes(newest);
    assertThat(bytes.length).isGreaterThan(count / 4 * 3 * 16);
    bytes[bytes.length / 2] ^= 1;
    Files.write(newest, bytes);
    shouldDelayThreeOfFour(copy, count);
  }

  /** So many facts that another snapshot is due. */
  private void releaseTheOthers(Ledger ledger, int count) {
    while (ledger.position() < count) {
      if (!ledger.skipPostponed(START)) {
        long sequence = ledger.position();
        ledger.release(sequence, ledger.deliver(sequence, 1, START));
        if (sequence % 10_000 == 0) {
          flush();
        }
      }
    }
  }

  private void shouldDelayThreeOfFour(Path directory, int count) {
    try (Ledger ledger = open(directory, false)) {
      assertThat(ledger.recovery().delayed()).isEqualTo(count / 4 * 3);
      while (ledger.position() < count) {
        long sequence = ledger.position();
        boolean passed = ledger.skipPostponed(START);
        if (passed != (sequence % 4 != 0)) {
          fail("sequence %d", sequence);
        }
        if (!passed) {
          ledger.acknowledge(sequence, ledger.deliver(sequence, 1, START));
        }
      }
      assertThat(ledger.count(EntryState.DELAYED)).isEqualTo(count / 4 * 3);
      long due = START + 10_000 + count / 2;
      int ended = 0;
      for (int some = ledger.collectTimedOut(due); some > 0; some = ledger.collectTimedOut(due)) {
        ended += some;
      }
      assertThat(ended).isEqualTo(count / 2 * 3 / 4);
      assertThat(ledger.nextDueMillis()).isEqualTo(due + 1);
    }
  }

  private static Path newestSnapshot(Path directory) throws IOException {
    return new Generations(directory, Copies.OWNER)
        .list().stream()
            .filter(file -> !file.log())
            .reduce((older, newer) -> newer)
            .orElseThrow()
            .path();
  }

  @Test
  void shouldGoOnInTheNextLogWhenThereIsRoomForOneRecordOnly() throws IOException {
    try (Ledger ledger = open()) {
      long[] tags = deliver(ledger, 2, START);
      ledger.release(0, tags[0]);
      for (int records = 1; records < AckLog.RECORDS - 1; records += 2) {
        ledger.release(0, ledger.redeliver(0, START));
      }
      ledger.retry(1, tags[1], 5_000, START);
      try (Ledger killed = killed()) {
        assertThat(killed.recovery().torn()).isZero();
        assertThat(killed.recovery().damaged()).isEmpty();
        assertThat(killed.isPostponed(1, START)).isTrue();
      }
    }
  }

  @Test
  void shouldComeEarlierWhenTheRecordOfItsTimeIsTornAndNeverLoseItsAttempts() throws IOException {
    try (Ledger ledger = open()) {
      delay(ledger, 5_000);
    }
    Path directory = base.resolve("subscriber");
    shouldComeAtOnceWithout(directory, 1, 0);
    shouldComeAtOnceWithout(directory, 0, 1); // the time is for nobody then, and that is damage
  }

  private void shouldComeAtOnceWithout(Path directory, int place, int damaged) throws IOException {
    Path copy = Copies.of(directory);
    Path log = copy.resolve("ack-1.log");
    byte[] bytes = Files.readAllBytes(log);
    int at = AckLog.HEADER + place * AckLog.RECORD;
    assertThat(bytes[at + 11] >>> 4).isEqualTo(place == 0 ? AckLog.ATTEMPTS : AckLog.NOT_BEFORE);
    Arrays.fill(bytes, at, at + AckLog.RECORD, (byte) 0);
    Files.write(log, bytes);
    try (Ledger ledger = open(copy, false)) {
      assertThat(ledger.recovery().damaged()).hasSize(damaged);
      assertThat(ledger.recovery().torn()).isEqualTo(1 - damaged);
      shouldComeAtOnce(ledger, 0, 2);
    }
  }

  @Test
  void shouldTakeNoMemoryBeforeTheFirstDelay() {
    Ring ring = new Ring(0);
    ring.extendTo(10_000);
    assertThat(ring.hasDelays()).isFalse();
    ring.until(5_000, START, 3);
    ring.move(5_000, EntryState.DELAYED);
    ring.extendTo(100_000);
    assertThat(ring.until(5_000)).isEqualTo(START);
    assertThat(ring.delaySeconds(5_000)).isEqualTo(3);
    assertThat(ring.isDelayed(5_000)).isTrue();
    assertThat(ring.isDelayed(5_001)).isFalse();
    ring.restart(7);
    assertThat(ring.hasDelays()).isFalse();
  }
}
