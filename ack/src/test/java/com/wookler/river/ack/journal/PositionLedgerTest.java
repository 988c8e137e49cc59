package com.wookler.river.ack.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.wookler.river.ack.AckResult;
import com.wookler.river.ack.InitialPosition;
import com.wookler.river.ack.Ledger;
import com.wookler.river.ack.Limits;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.common.file.Checksum;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A subscriber without acknowledgement. */
class PositionLedgerTest {
  private static final InitialPosition ORIGIN = new InitialPosition(5, 2);

  @TempDir Path base;

  private Path directory;

  @BeforeEach
  void name() {
    directory = base.resolve("subscriber");
  }

  @Test
  void shouldFinishWithTheHandOver() {
    try (Ledger ledger = LedgerOpener.withoutAck(directory, Copies.OWNER, ORIGIN)) {
      assertThat(ledger.position()).isEqualTo(5);
      long tag = ledger.deliver(5, 0, 0);
      assertThat(Ledger.attempt(tag)).isEqualTo(1);
      assertThat(ledger.lowWatermark()).isEqualTo(6);
      assertThat(ledger.canDeliver()).isTrue();
      assertThat(ledger.acknowledge(5, tag)).isEqualTo(AckResult.DONE);
      assertThat(ledger.release(5, tag)).isEqualTo(AckResult.DONE);
      assertThat(ledger.nextReady()).isEqualTo(-1);
      assertThat(ledger.nextDueMillis()).isEqualTo(Long.MAX_VALUE);
      assertThat(ledger.unfinished()).isZero();
      assertThatThrownBy(() -> ledger.deliver(5, 0, 0)).isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(() -> ledger.redeliver(5, 0)).isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(() -> ledger.address(5)).isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void shouldGiveNothingTwiceAfterAKillAtAnyMoment() throws IOException {
    try (Ledger ledger = LedgerOpener.withoutAck(directory, Copies.OWNER, ORIGIN)) {
      for (int i = 0; i < 10; i++) {
        long mark = ledger.position();
        ledger.deliver(mark, 0, 0);
        try (Ledger copy = LedgerOpener.withoutAck(Copies.of(directory), Copies.OWNER, ORIGIN)) {
          assertThat(copy.position()).isEqualTo(mark + 1);
        }
        try (Ledger torn = LedgerOpener.withoutAck(tearNewest(), Copies.OWNER, ORIGIN)) {
          assertThat(torn.position()).isEqualTo(mark);
          assertThat(torn.recovery().torn()).isEqualTo(1);
          torn.deliver(mark, 0, 0);
        }
      }
    }
    try (Ledger ledger = LedgerOpener.withoutAck(directory, Copies.OWNER, ORIGIN)) {
      assertThat(ledger.position()).isEqualTo(15);
    }
  }

  @Test
  void shouldCompleteWhatIsWrittenTogether() throws IOException {
    try (Ledger ledger = LedgerOpener.withoutAck(directory, Copies.OWNER, ORIGIN)) {
      ledger.deliverNext(5, 0, 0);
      ledger.deliverNext(6, 0, 0);
      try (Ledger copy = LedgerOpener.withoutAck(Copies.of(directory), Copies.OWNER, ORIGIN)) {
        assertThat(copy.position()).isEqualTo(5);
      }
      ledger.writeDelivered();
      try (Ledger copy = LedgerOpener.withoutAck(Copies.of(directory), Copies.OWNER, ORIGIN)) {
        assertThat(copy.position()).isEqualTo(7);
      }
    }
  }

  @Test
  void shouldMoveAndBeForcedOnAThreadThatIsInterrupted() {
    try (Ledger ledger = LedgerOpener.withoutAck(directory, Copies.OWNER, ORIGIN)) {
      Thread.currentThread().interrupt();
      try {
        ledger.seek(9);
        ledger.deliver(9, 0, 0);
        ledger.force();
      } finally {
        assertThat(Thread.interrupted()).isTrue();
      }
      ledger.deliver(10, 0, 0);
      ledger.force();
    }
    try (Ledger ledger = LedgerOpener.withoutAck(directory, Copies.OWNER, ORIGIN)) {
      assertThat(ledger.position()).isEqualTo(11);
    }
  }

  @Test
  void shouldNotFallBackByTwoWhenTornAfterAReopening() throws IOException {
    for (int handed = 0; handed < 5; handed++) {
      try (Ledger ledger = LedgerOpener.withoutAck(directory, Copies.OWNER, ORIGIN)) {
        long mark = ledger.position();
        ledger.deliver(mark, 0, 0);
        try (Ledger torn = LedgerOpener.withoutAck(tearNewest(), Copies.OWNER, ORIGIN)) {
          assertThat(torn.position()).isEqualTo(mark);
        }
      }
    }
  }

  @Test
  void shouldSeekBothWays() {
    try (Ledger ledger = LedgerOpener.withoutAck(directory, Copies.OWNER, ORIGIN)) {
      ledger.skip(100);
      assertThat(ledger.position()).isEqualTo(100);
      ledger.seek(3);
      ledger.deliver(3, 0, 0);
      ledger.force();
    }
    try (Ledger ledger = LedgerOpener.withoutAck(directory, Copies.OWNER, ORIGIN)) {
      assertThat(ledger.position()).isEqualTo(4);
      assertThat(ledger.recovery().created()).isFalse();
      assertThat(ledger.recovery().nextFree()).isEqualTo(4);
    }
  }

  @Test
  void shouldDeliverFromTheEarliestWhenTheCursorIsLost() throws IOException {
    try (Ledger ledger = LedgerOpener.withoutAck(directory, Copies.OWNER, ORIGIN)) {
      ledger.skip(100);
    }
    Files.write(directory.resolve("cursor"), new byte[4096]);
    for (int i = 0; i < 2; i++) {
      try (Ledger ledger = LedgerOpener.withoutAck(directory, Copies.OWNER, ORIGIN)) {
        assertThat(ledger.position()).isEqualTo(2);
        assertThat(ledger.recovery().damaged()).hasSize(1 - i);
        assertThat(directory.resolve("cursor.damaged")).exists();
      }
    }
  }

  @Test
  void shouldUseTheSlotsWhenOnlyTheHeaderIsDamaged() throws IOException {
    try (Ledger ledger = LedgerOpener.withoutAck(directory, Copies.OWNER, ORIGIN)) {
      ledger.skip(100);
    }
    byte[] bytes = Files.readAllBytes(directory.resolve("cursor"));
    bytes[3] ^= 1;
    Files.write(directory.resolve("cursor"), bytes);
    try (Ledger ledger = LedgerOpener.withoutAck(directory, Copies.OWNER, ORIGIN)) {
      assertThat(ledger.position()).isEqualTo(100);
      assertThat(ledger.recovery().damaged()).singleElement().asString().contains("is damaged");
    }
  }

  @Test
  void shouldCallACursorOfAnotherKindDamagedAndDeliverFromTheEarliest() {
    Limits limits = new Limits(1, 1, 1);
    Path other = directory.resolve("other");
    try (Ledger ledger = LedgerOpener.withoutAck(directory, Copies.OWNER, ORIGIN)) {
      ledger.skip(100);
    }
    LedgerOpener.withAck(other, Copies.OWNER, limits, ORIGIN, Runnable::run).close();
    try (Ledger ledger =
        LedgerOpener.withAck(directory, Copies.OWNER, limits, ORIGIN, Runnable::run)) {
      assertThat(ledger.position()).isEqualTo(2);
      assertThat(ledger.recovery().damaged()).isNotEmpty();
    }
    try (Ledger ledger = LedgerOpener.withoutAck(other, Copies.OWNER, ORIGIN)) {
      assertThat(ledger.position()).isEqualTo(2);
      assertThat(ledger.recovery().damaged()).isNotEmpty();
    }
  }

  @Test
  void shouldReportAMissingCursorOfALedgerThatWasMade() throws IOException {
    InitialPosition made = new InitialPosition(5, 2, true);
    LedgerOpener.withoutAck(directory, Copies.OWNER, ORIGIN).close();
    Files.delete(directory.resolve("cursor"));
    assertThat(LedgerLook.at(directory, Copies.OWNER, false, ORIGIN).damaged()).isEmpty();
    assertThat(LedgerLook.at(directory, Copies.OWNER, false, made).damaged()).hasSize(1);
    try (Ledger ledger = LedgerOpener.withoutAck(directory, Copies.OWNER, made)) {
      assertThat(ledger.position()).isEqualTo(5);
      assertThat(ledger.recovery().created()).isFalse();
      assertThat(ledger.recovery().damaged()).singleElement().asString().contains("is missing");
    }
  }

  @Test
  void shouldRefuseWhatANewerRiverWrote() throws IOException {
    LedgerOpener.withoutAck(directory, Copies.OWNER, ORIGIN).close();
    byte[] bytes = Files.readAllBytes(directory.resolve("cursor"));
    ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    buffer.putInt(8, 9).putInt(32, Checksum.of(bytes, 0, 32));
    Files.write(directory.resolve("cursor"), bytes);
    assertThatThrownBy(() -> LedgerOpener.withoutAck(directory, Copies.OWNER, ORIGIN))
        .isInstanceOf(RiverException.class)
        .hasMessageContaining("format version 9");
  }

  /** A copy as a kill between the two stores of the newest slot leaves it. */
  private Path tearNewest() throws IOException {
    Path copy = Copies.of(directory);
    Path cursor = copy.resolve("cursor");
    byte[] bytes = Files.readAllBytes(cursor);
    ByteBuffer slots = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    int newest = slots.getLong(64) > slots.getLong(128) ? 64 : 128;
    slots.putLong(newest + 8, 4711);
    Files.write(cursor, bytes);
    return copy;
  }
}
