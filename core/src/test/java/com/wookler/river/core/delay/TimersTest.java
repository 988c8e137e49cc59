package com.wookler.river.core.delay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.delay.DelayedLog.Copy;
import com.wookler.river.core.log.Damage;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What waits comes when it is due, once, whatever happens in between. {@code
 * -Driver.delay.messages=1000000} and {@code -Driver.delay.histories=500} for the long form.
 */
class TimersTest {
  private static final Logger LOG = LoggerFactory.getLogger(TimersTest.class);
  private static final int MANY = Integer.getInteger("river.delay.messages", 100_000);
  private static final int HISTORIES = Integer.getInteger("river.delay.histories", 2);
  private static final DelayLimits SMALL = new DelayLimits(16, 4_096, 32);
  private static final long SECOND = 1_000_000;
  private static final long YEAR = 365 * 24 * 3_600 * SECOND;

  @TempDir Path base;

  @Test
  void shouldGiveEachOnceInOrderThroughKillsAndFlushes() throws IOException {
    for (int history = 0; history < HISTORIES; history++) {
      long seed = history + Long.getLong("river.delay.seed", 1);
      try (DelayedLog log = new DelayedLog(base.resolve("history-" + seed), SMALL)) {
        live(log, new Random(seed), seed);
      }
    }
  }

  private static void live(DelayedLog log, Random random, long seed) throws IOException {
    Map<Long, Long> delays = new HashMap<>();
    long number = 0;
    for (int step = 0; step < 120; step++) {
      switch (random.nextInt(8)) {
        case 0 -> log.kill();
        case 1, 2 -> log.flush();
        case 3, 4 -> log.advance(random.nextInt(40));
        default -> {
          long[] some = new long[random.nextInt(12) + 1];
          for (int i = 0; i < some.length; i++) {
            some[i] = random.nextInt(3) == 0 ? 0 : (1 + random.nextInt(200)) * SECOND;
          }
          long first = log.publish(number, some);
          for (int i = 0; i < some.length; i++) {
            if (some[i] > 0) {
              delays.put(first + i, some[i]);
            }
          }
          number += some.length;
        }
      }
      if (random.nextBoolean()) {
        log.run();
      }
      assertThat(log.timers().heapBytes()).as("seed %d", seed).isLessThan(24 * 4 * 64L);
    }
    complete(log);
    List<Copy> copies = log.copies();
    assertThat(copies.stream().map(Copy::sequence))
        .as("seed %d", seed)
        .containsExactlyInAnyOrderElementsOf(delays.keySet());
    for (Copy copy : copies) {
      assertThat(copy.late(delays.get(copy.sequence()))).as("%s", copy).isNotNegative();
    }
    assertThat(log.lost).isEmpty();
  }

  /** Until all is delivered that is due by now. */
  private static void complete(DelayedLog log) {
    log.advance(300);
    for (int i = 0; i < 10_000 && (i < 3 || log.timers().waiting() > 0); i++) {
      log.run();
      log.flush();
    }
    assertThat(log.timers().waiting()).isZero();
  }

  @Tag("full")
  @Test
  void shouldHoldVeryManyInBoundedMemory() throws IOException {
    try (DelayedLog log = new DelayedLog(base, DelayLimits.DEFAULT)) {
      Random random = new Random(1);
      long most = 0;
      for (int published = 0; published < MANY; published += 1_000) {
        long[] some = random.longs(1_000, 1, 200 * SECOND).toArray();
        log.publish(published, some);
        log.run();
        if (published % 10_000 == 0) {
          log.flush();
        }
        most = Math.max(most, log.timers().heapBytes());
      }
      log.flush();
      log.kill();
      assertThat(log.timers().waiting()).isEqualTo(MANY);
      assertThat(files(log.directory)).hasSizeGreaterThan(1);
      for (int i = 0; i < 210; i++) {
        log.advance(1);
        log.run();
        if (i % 10 == 0) {
          log.flush();
        }
        most = Math.max(most, log.timers().heapBytes());
      }
      List<Copy> copies = log.copies();
      assertThat(copies).hasSize(MANY);
      assertThat(copies.stream().map(Copy::sequence).distinct().count()).isEqualTo(MANY);
      LOG.info("{} delayed messages took at most {} bytes of memory", MANY, most);
      assertThat(most).isLessThan(8 << 20);
      log.flush();
      log.flush();
      assertThat(files(log.directory)).hasSizeLessThanOrEqualTo(3);
    }
  }

  private static List<Path> files(Path directory) throws IOException {
    try (Stream<Path> all = Files.list(directory)) {
      return all.filter(file -> file.getFileName().toString().startsWith("due-")).sorted().toList();
    }
  }

  @Test
  void shouldDivideWhatIsAllDueAtOnce() throws IOException {
    try (DelayedLog log = new DelayedLog(base, SMALL)) {
      for (int i = 0; i < 12; i++) {
        log.publish(i * 10L, 5_000_000, 5_000_000, YEAR, 5_000_000, 5_000_000, 0, 0, 0, 0, 0);
        log.run();
        log.flush();
      }
      assertThat(log.timers().heapBytes()).isLessThan(24 * 4 * 64L);
      complete(log, 48);
      assertThat(log.copies())
          .hasSize(48)
          .isSortedAccordingTo((a, b) -> Long.compare(a.sequence(), b.sequence()));
      assertThat(log.timers().waiting()).isEqualTo(12);
      assertThat(log.timers().lowWatermark()).isGreaterThanOrEqualTo(120);
    }
  }

  private static void complete(DelayedLog log, long count) {
    log.advance(300);
    for (int i = 0; i < 1_000 && log.delivered() < count; i++) {
      log.run();
      log.flush();
    }
    assertThat(log.delivered()).isEqualTo(count);
  }

  @Test
  void shouldWriteNoFileForWhatIsDueSoon() throws IOException {
    try (DelayedLog log = new DelayedLog(base, SMALL)) {
      log.publish(0, SECOND, 2 * SECOND);
      log.run();
      log.advance(2);
      log.run();
      log.flush();
      assertThat(log.delivered()).isEqualTo(2);
      assertThat(files(log.directory)).isEmpty();
    }
  }

  @Test
  void shouldReportWhatADamagedMessageWasAndGiveTheOthers() throws IOException {
    try (DelayedLog log = new DelayedLog(base, DelayLimits.DEFAULT)) {
      log.publish(0, SECOND, 2 * SECOND, 3 * SECOND);
      log.run();
      log.flush();
      flip(files(log.directory).get(0), DelayedRecord.HEADER_BYTES + DelayedRecord.HEAD_BYTES + 45);
      log.advance(10);
      log.run();
      assertThat(log.copies()).extracting(Copy::sequence).containsExactly(1L, 2L);
      assertThat(log.lost).hasSize(1);
      assertThat(log.lost.get(0).first()).isZero();
      assertThat(log.lost.get(0).messages()).isEqualTo(1);
      assertThat(log.lost.get(0).block()).isEqualTo(DelayContext.NO_BLOCK);
      log.flush();
      log.kill();
      log.run();
      assertThat(log.lost).hasSize(1);
      assertThat(log.copies()).hasSize(2);
    }
  }

  @Test
  void shouldReadADamagedMessageWhereItCameFrom() throws IOException {
    try (DelayedLog log = new DelayedLog(base, DelayLimits.DEFAULT)) {
      log.keepOriginals(true);
      log.publish(0, SECOND, 2 * SECOND);
      log.run();
      log.flush();
      flip(files(log.directory).get(0), DelayedRecord.HEADER_BYTES + DelayedRecord.HEAD_BYTES + 45);
      log.advance(10);
      log.run();
      assertThat(log.copies()).extracting(Copy::number).containsExactly(0L, 1L);
      assertThat(log.lost).isEmpty();
    }
  }

  @Test
  void shouldKeepWhatWasTakenOutWhenTheNextCannotBeReadNow() throws IOException {
    try (DelayedLog log = new DelayedLog(base, DelayLimits.DEFAULT)) {
      log.keepOriginals(true);
      log.publish(0, SECOND, 2 * SECOND, 3 * SECOND);
      log.run();
      log.flush();
      int record = DelayedRecord.HEAD_BYTES + 45;
      flip(files(log.directory).get(0), DelayedRecord.HEADER_BYTES + 2 * length(log) + record);
      log.publish(3, SECOND);
      log.run();
      log.advance(10);
      log.unreadable(true);
      assertThatThrownBy(log::run).isInstanceOf(RiverException.class);
      assertThat(log.timers().waiting()).isEqualTo(4);
      log.unreadable(false);
      log.run();
      assertThat(log.copies()).extracting(Copy::number).containsExactly(0L, 3L, 1L, 2L);
      assertThat(log.lost).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldTryAgainToWriteWhatCannotBeReadNow(boolean error) throws IOException {
    try (DelayedLog log = new DelayedLog(base, DelayLimits.DEFAULT)) {
      log.failsByError(error);
      log.publish(0x5EA1_0000_1234_5678L, SECOND);
      log.publish(1, 2 * SECOND);
      log.run();
      log.damage(0x5EA1_0000_1234_5678L);
      log.unreadable(true);
      log.flush();
      assertThat(log.timers().isDirty()).isTrue();
      log.unreadable(false);
      log.flush();
      assertThat(files(log.directory)).hasSize(1);
      log.advance(10);
      log.run();
      assertThat(log.delivered()).isEqualTo(1);
      assertThat(log.timers().waiting()).isZero();
    }
  }

  @Test
  void shouldWriteNothingOfALogThatWasNotForcedAndTryAgain() throws IOException {
    try (DelayedLog log = new DelayedLog(base, DelayLimits.DEFAULT)) {
      log.publish(0, SECOND);
      log.run();
      log.timers().capture();
      log.timers().postpone();
      assertThat(files(log.directory)).isEmpty();
      assertThat(log.timers().isDirty()).isTrue();
      log.flush();
      assertThat(files(log.directory)).hasSize(1);
    }
  }

  /** However long it takes until housekeeping forces the next time. */
  @Test
  void shouldAskAgainForAFlushThatWasPutOff() throws IOException {
    try (DelayedLog log = new DelayedLog(base, SMALL)) {
      for (int i = 0; i < 40; i++) { // more than are remembered without files
        log.publish(i, 100 * SECOND);
      }
      log.publish(40, SECOND);
      log.timers().step();
      for (int i = 0; i < 3; i++) {
        assertThat(log.takeWantsFlush()).isTrue();
        log.timers().capture();
        log.timers().postpone();
        assertThat(log.timers().step()).isPositive().isLessThanOrEqualTo(1_000_000_000);
        assertThat(log.takeWantsFlush()).as("at once").isFalse();
        log.advance(1);
        log.timers().step();
      }
      assertThat(log.copies()).isEmpty();
      log.run(); // with the flush
      assertThat(log.copies()).extracting(Copy::number).containsExactly(40L);
    }
  }

  /** Of one of three records, which are alike. */
  private static long length(DelayedLog log) throws IOException {
    return (Files.size(files(log.directory).get(0)) - DelayedRecord.HEADER_BYTES) / 3;
  }

  @Test
  void shouldCopyAloneWhatIsTooLargeForOneDocumentWithOthers() throws IOException {
    try (DelayedLog log = new DelayedLog(base, DelayLimits.DEFAULT)) {
      log.publish(0, SECOND);
      log.publishLarge(1, (8 << 20) - 200, 2 * SECOND); // a document has 8 MB at most
      log.publish(2, 3 * SECOND, 3 * SECOND);
      log.advance(10);
      log.run();
      assertThat(log.copies()).extracting(Copy::number).containsExactly(0L, 1L, 2L, 3L);
    }
  }

  @Test
  void shouldKnowThatThereAreFilesWithoutAState() throws IOException {
    try (DelayedLog log = new DelayedLog(base, SMALL)) {
      log.publish(0, SECOND, 2 * SECOND);
      log.run();
      log.flush();
      log.end();
      Files.delete(log.directory.resolve("state-0"));
      Files.delete(log.directory.resolve("state-1"));
      assertThat(StoreOpening.exists(log.directory)).isTrue();
      assertThat(DelayFiles.look(base, DelayedLog.QUEUE, true).faults()).isNotEmpty();
      log.open();
      complete(log);
      assertThat(log.copies()).extracting(Copy::number).containsExactlyInAnyOrder(0L, 1L);
    }
  }

  @Test
  void shouldGoOnBehindADamagedHead() throws IOException {
    try (DelayedLog log = new DelayedLog(base, DelayLimits.DEFAULT)) {
      log.publish(0, SECOND, 2 * SECOND, 3 * SECOND);
      log.run();
      log.flush();
      log.end();
      flip(files(log.directory).get(0), DelayedRecord.HEADER_BYTES + 9);
      DelayFiles.Look look = DelayFiles.look(base, DelayedLog.QUEUE, true);
      assertThat(look.waiting()).isEqualTo(2);
      assertThat(look.faults()).isNotEmpty();
      log.open();
      assertThat(log.lost).extracting(Damage::messages).containsExactly(1L);
      assertThat(log.lost.get(0).first()).isEqualTo(DelayContext.UNKNOWN);
      log.advance(10);
      log.run();
      assertThat(log.copies()).extracting(Copy::sequence).containsExactly(1L, 2L);
      log.flush();
      log.kill();
      assertThat(log.lost).hasSize(1);
    }
  }

  @Test
  void shouldSayHowManyWereInAFileThatIsGoneOrCutShort() throws IOException {
    try (DelayedLog log = new DelayedLog(base, DelayLimits.DEFAULT)) {
      log.publish(0, SECOND, 2 * SECOND, 3 * SECOND);
      log.run();
      log.flush();
      log.end();
      Path file = files(log.directory).get(0);
      try (RandomAccessFile cut = new RandomAccessFile(file.toFile(), "rw")) {
        cut.setLength(cut.length() - 10);
      }
      log.open();
      assertThat(log.lost).extracting(Damage::messages).containsExactly(1L);
      log.flush();
      log.end();
      Files.delete(file);
      assertThat(DelayFiles.look(base, DelayedLog.QUEUE, true).faults()).isNotEmpty();
      log.open();
      assertThat(log.lost).extracting(Damage::messages).containsExactly(1L, 2L);
      log.publish(3, SECOND);
      log.advance(10);
      log.run();
      assertThat(log.copies()).extracting(Copy::number).containsExactly(3L);
    }
  }

  @Test
  void shouldFindAgainWhatALostFileHad() throws IOException {
    for (boolean deleted : new boolean[] {true, false}) {
      try (DelayedLog log = new DelayedLog(base.resolve("deleted-" + deleted), SMALL)) {
        long number = 0;
        for (int i = 0; i < 10; i++) {
          log.publish(number, SECOND, 100 * SECOND, 30 * SECOND, 0);
          number += 4;
          log.run();
          log.flush();
          log.advance(1);
        }
        log.run(); // delivers some that the files count as waiting
        log.keepOriginals(true);
        while (!files(log.directory).isEmpty()) { // each of them in turn
          int before = files(log.directory).size();
          Path file = files(log.directory).get(before / 2);
          log.end();
          if (deleted) {
            Files.delete(file);
          } else {
            Files.write(file, new byte[7]);
          }
          log.open();
          log.run();
          log.kill(); // before a flush: it is found again
          log.run();
          log.flush();
          log.kill(); // and after one
          assertThat(DelayFiles.look(log.directory.getParent(), DelayedLog.QUEUE, true).faults())
              .isEmpty();
          log.advance(20);
          log.run();
          log.flush();
          log.advance(1);
          log.flush();
          if (log.copies().size() == 30) {
            break;
          }
        }
        complete(log);
        assertThat(log.copies()).hasSize(30);
        assertThat(log.copies().stream().map(Copy::sequence).distinct().count()).isEqualTo(30);
        assertThat(log.lost).isEmpty();
      }
    }
  }

  @Test
  void shouldFindAgainWhatADamagedFileHasLostInItsMiddle() throws IOException {
    try (DelayedLog log = new DelayedLog(base, DelayLimits.DEFAULT)) {
      log.publish(0, SECOND, 2 * SECOND, 3 * SECOND);
      log.run();
      log.flush();
      log.end();
      flip(files(log.directory).get(0), DelayedRecord.HEADER_BYTES + 9);
      log.keepOriginals(true);
      log.open();
      log.advance(10);
      log.run();
      assertThat(log.copies()).extracting(Copy::sequence).containsExactly(0L, 1L, 2L);
      assertThat(log.lost).isEmpty();
    }
  }

  @Test
  void shouldCountOnlyWhatStillWaitedAsLost() throws IOException {
    try (DelayedLog log = new DelayedLog(base, DelayLimits.DEFAULT)) {
      for (int i = 0; i < 30; i++) {
        log.publish(i, (i + 1) * SECOND);
      }
      log.run();
      log.flush();
      log.advance(10);
      log.run();
      log.flush();
      log.advance(5);
      log.run(); // five more, which the state does not say
      assertThat(log.copies()).hasSize(15);
      log.end();
      Files.delete(files(log.directory).get(0));
      log.open();
      assertThat(log.lost).extracting(Damage::messages).containsExactly(15L);
    }
  }

  @Test
  void shouldLoseNothingWithOneOfTheStates() throws IOException {
    for (int which = 0; which < 2; which++) {
      try (DelayedLog log = new DelayedLog(base.resolve("state-" + which), SMALL)) {
        long number = 0;
        for (int i = 0; i < 10; i++) {
          log.publish(number, SECOND, 100 * SECOND, 3 * SECOND, 0);
          number += 4;
          log.run();
          log.flush();
          log.advance(1);
        }
        log.end();
        flip(log.directory.resolve("state-" + which), 40);
        assertThat(DelayFiles.look(log.directory.getParent(), DelayedLog.QUEUE, true).faults())
            .isNotEmpty();
        log.open();
        complete(log);
        assertThat(log.copies()).hasSize(30);
        assertThat(log.copies().stream().map(Copy::sequence).distinct().count()).isEqualTo(30);
        assertThat(DelayFiles.look(log.directory.getParent(), DelayedLog.QUEUE, true).faults())
            .isEmpty();
      }
    }
  }

  @Test
  void shouldMakeItsStateAnewFromFilesAndLog() throws IOException {
    try (DelayedLog log = new DelayedLog(base, SMALL)) {
      List<Long> delayed = new ArrayList<>();
      long number = 0;
      for (int i = 0; i < 10; i++) {
        long first = log.publish(number, SECOND, 100 * SECOND, 3 * SECOND, 0);
        delayed.addAll(List.of(first, first + 1, first + 2));
        number += 4;
        log.run();
        log.flush();
        log.advance(1);
      }
      log.end();
      flip(log.directory.resolve("state-0"), 40);
      Files.delete(log.directory.resolve("state-1"));
      log.open();
      complete(log);
      assertThat(log.copies())
          .extracting(Copy::sequence)
          .containsExactlyInAnyOrderElementsOf(delayed);
      assertThat(log.lost).isEmpty();
    }
  }

  @Test
  void shouldRefuseANewerVersion() throws IOException {
    try (DelayedLog log = new DelayedLog(base, SMALL)) {
      log.publish(0, SECOND);
      log.run();
      log.flush();
      log.end();
      for (String name : List.of("state-0", "state-1")) {
        Path file = log.directory.resolve(name);
        byte[] bytes = Files.readAllBytes(file);
        bytes[8] = 4;
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, bytes.length - 4);
        for (int i = 0; i < 4; i++) {
          bytes[bytes.length - 4 + i] = (byte) (crc.getValue() >>> (8 * i));
        }
        Files.write(file, bytes);
      }
      assertThatThrownBy(() -> DelayFiles.look(base, DelayedLog.QUEUE, true))
          .isInstanceOf(RiverException.class)
          .hasMessageContaining("format version 4");
    }
  }

  private static void flip(Path file, long offset) throws IOException {
    try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
      bytes.seek(offset);
      int old = bytes.read();
      bytes.seek(offset);
      bytes.write(old ^ 0x10);
    }
  }
}
