package com.wookler.river.ack.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.wookler.river.ack.InitialPosition;
import com.wookler.river.ack.Ledger;
import com.wookler.river.ack.Limits;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.common.file.Checksum;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the subscribers of a queue know of its sequences, found without opening one. */
class AckScanTest {
  private static final UUID QUEUE = new UUID(3, 4);
  private static final Limits LIMITS = new Limits(1000, 1 << 20, 1 << 20);
  private static final InitialPosition ORIGIN = new InitialPosition(10, 0);

  @TempDir Path subscribers;

  @Test
  void shouldFindNothingWithoutSubscribers() {
    assertThat(AckScan.run(subscribers.resolve("none"), QUEUE, (name, files) -> {}))
        .isEqualTo(new AckScan.Reached(0, 0, 0, null));
    assertThat(AckScan.run(subscribers, QUEUE, (name, files) -> {}))
        .isEqualTo(new AckScan.Reached(0, 0, 0, null));
  }

  @Test
  void shouldFindTheHighestOfAllSubscribers() {
    try (Ledger plain = LedgerOpener.withoutAck(directory("plain"), owner("plain"), ORIGIN)) {
      plain.skip(40);
    }
    assertThat(AckScan.run(subscribers, QUEUE, (name, files) -> {}))
        .isEqualTo(new AckScan.Reached(40, 40, 40, "plain"));
    try (Ledger acking = open("acking")) {
      for (int i = 0; i < 60; i++) {
        deliver(acking);
      }
      acking.acknowledge(50, handOverAgain(acking, 50));
      assertThat(AckScan.run(subscribers, QUEUE, (name, files) -> {}))
          .isEqualTo(new AckScan.Reached(40, 51, 70, "acking"));
    }
  }

  @Test
  void shouldFindInTheSnapshotWhatTheLogsDoNotTellAnyMore() {
    try (Ledger ledger = open("acking")) {
      for (int i = 0; i < 100_000; i++) {
        long tag = deliver(ledger);
        if (i % 2 == 1) {
          ledger.acknowledge(ledger.position() - 1, tag);
        }
      }
    }
    AckScan.Reached reached = AckScan.run(subscribers, QUEUE, (name, files) -> {});
    assertThat(reached.completedEnd()).isEqualTo(100_010);
    assertThat(reached.nextFree()).isEqualTo(100_010);
    assertThat(reached.lowWatermark()).isEqualTo(10);
  }

  @Test
  void shouldTakeWhatProvesItselfOutOfDamagedFiles() throws IOException {
    try (Ledger ledger = open("acking")) {
      for (int i = 0; i < 90; i++) {
        deliver(ledger);
      }
      ledger.acknowledge(80, handOverAgain(ledger, 80));
    }
    Path own = directory("acking");
    Path log = own.resolve("ack-1.log");
    byte[] bytes = Files.readAllBytes(log);
    Arrays.fill(bytes, 0, AckLog.HEADER, (byte) 1);
    Files.write(log, bytes);
    Files.write(own.resolve(Cursor.NAME), new byte[10]);
    AckScan.Reached reached = AckScan.run(subscribers, QUEUE, (name, files) -> {});
    assertThat(reached.completedEnd()).isEqualTo(81);
    assertThat(reached.lowWatermark()).isEqualTo(10);
  }

  @Test
  void shouldTakeNothingOfAnothersFiles() throws IOException {
    try (Ledger ledger = open("acking")) {
      deliver(ledger);
    }
    Files.move(directory("acking"), directory("other"));
    assertThat(AckScan.run(subscribers, QUEUE, (name, files) -> {}).nextFree()).isZero();
    Files.move(directory("other"), directory("acking"));
    assertThat(AckScan.run(subscribers, new UUID(3, 5), (name, files) -> {}).nextFree()).isZero();
    assertThat(AckScan.run(subscribers, QUEUE, (name, files) -> {}).nextFree()).isEqualTo(11);
  }

  @Test
  void shouldChangeNothing() throws IOException {
    try (Ledger ledger = open("acking")) {
      deliver(ledger);
      Files.createDirectories(directory("empty"));
      Files.write(directory("acking").resolve("ack-7.snap"), new byte[] {1});
      Map<Path, FileTime> before = times();
      AckScan.run(subscribers, QUEUE, (name, files) -> {});
      assertThat(times()).isEqualTo(before);
    }
  }

  @Test
  void shouldRefuseWhatANewerRiverWrote() throws IOException {
    open("acking").close();
    Path cursor = directory("acking").resolve(Cursor.NAME);
    byte[] bytes = Files.readAllBytes(cursor);
    bytes[8] = 9;
    int check = Checksum.of(bytes, 0, 32);
    for (int i = 0; i < 4; i++) {
      bytes[32 + i] = (byte) (check >>> (8 * i));
    }
    Files.write(cursor, bytes);
    assertThatThrownBy(() -> AckScan.run(subscribers, QUEUE, (name, files) -> {}))
        .isInstanceOf(RiverException.class)
        .hasMessageContaining("cursor has format version 9");
  }

  private Path directory(String name) {
    return subscribers.resolve(name);
  }

  private static Owner owner(String name) {
    return Owner.of(QUEUE, name);
  }

  private Ledger open(String name) {
    return LedgerOpener.withAck(directory(name), owner(name), LIMITS, ORIGIN, Runnable::run);
  }

  private static long deliver(Ledger ledger) {
    return ledger.deliver(ledger.position(), 0, 0);
  }

  /** Lets everything time out, and gives the new delivery tag of one. */
  private static long handOverAgain(Ledger ledger, long sequence) {
    ledger.collectTimedOut(1000);
    long tag = -1;
    for (long next = ledger.nextReady(); next >= 0 && next <= sequence; next = ledger.nextReady()) {
      tag = ledger.redeliver(next, 1000);
    }
    return tag;
  }

  private Map<Path, FileTime> times() throws IOException {
    Map<Path, FileTime> times = new TreeMap<>();
    try (Stream<Path> all = Files.walk(subscribers)) {
      for (Path file : all.toList()) {
        times.put(file, Files.getLastModifiedTime(file));
      }
    }
    return times;
  }
}
