package com.wookler.river.core.log;

import static com.wookler.river.core.log.LogFixture.littleEndian;
import static com.wookler.river.core.log.LogFixture.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.common.file.Device;
import com.wookler.river.core.log.chronicle.ChronicleHeader;
import com.wookler.river.core.log.chronicle.DocumentHeader;
import com.wookler.river.core.log.files.Gaps;
import com.wookler.river.core.log.files.LogMarks;
import com.wookler.river.core.log.files.Seal;
import com.wookler.river.core.message.DamagedMessageException;
import com.wookler.river.core.message.StoredMessage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** What a crash may leave in a log directory, made by hand, and what opening makes of it. */
@Timeout(120)
class LogRecoveryTest {
  private static final int HIDDEN = 0x4000_0000;
  private static final int UNFINISHED = 0x8000_0000;

  @TempDir Path directory;

  private LogFixture log;

  @BeforeEach
  void make() {
    log = new LogFixture(directory);
  }

  @AfterEach
  void close() {
    log.close();
  }

  private void shouldHold(long first, long end) {
    LogReader reader = log.reader();
    assertThat(reader.position()).isEqualTo(first);
    for (long sequence = first; sequence < end; sequence++) {
      StoredMessage message = reader.next();
      assertThat(message).as("sequence %s", sequence).isNotNull();
      assertThat(message.sequence()).isEqualTo(sequence);
      assertThat(text(message)).isEqualTo("m" + sequence);
    }
    assertThat(reader.next()).isNull();
  }

  /** Goes on publishing, across a block's end, and reopens once more: all must be as it was. */
  private void shouldGoOn(long first, long end) {
    shouldHold(first, end);
    log.publish(3).batch(4).publish(8);
    shouldHold(first, end + 15);
    assertThat(log.reopen().nextSequence()).isEqualTo(end + 15);
    shouldHold(first, end + 15);
  }

  @Test
  void shouldTakeUpWhatACleanCloseLeft() {
    assertThat(log.recycleAt(10).open().nextSequence()).isZero();
    assertThat(log.reopen().nextSequence()).isZero();
    log.publish(25);
    assertThat(log.reopen().nextSequence()).isEqualTo(25);
    shouldGoOn(0, 25);
  }

  /**
   * What a power loss may leave: messages are forced, the index that Chronicle writes beside them
   * is brought to the device by nobody until the block is closed.
   */
  @Test
  void shouldFindMessagesByAnIndexThatIsOlder() throws IOException {
    log.open();
    log.publish(70_000);
    byte[] before = Files.readAllBytes(log.block(1));
    log.publish(70_000);
    log.shut();
    restoreHidden(log.block(1), before);
    assertThat(log.open().nextSequence()).isEqualTo(140_000);
    LogReader reader = log.reader();
    for (long sequence : new long[] {139_999, 70_001, 131_072, 5, 100_000}) {
      reader.moveTo(sequence);
      assertThat(reader.next().sequence()).isEqualTo(sequence);
    }
    shouldGoOn(0, 140_000);
  }

  /** Writes back what the documents that readers don't see held before. */
  private static void restoreHidden(Path block, byte[] before) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(before).order(ByteOrder.LITTLE_ENDIAN);
    int offset = 0;
    int restored = 0;
    while (offset + 4 <= before.length && DocumentHeader.sizeOf(bytes.getInt(offset)) > 0) {
      int header = bytes.getInt(offset);
      int size = (int) DocumentHeader.sizeOf(header);
      if ((header & HIDDEN) != 0) {
        LogFixture.write(block, offset, Arrays.copyOfRange(before, offset, offset + size));
        restored++;
      }
      offset += size;
    }
    assertThat(restored).isGreaterThan(3);
  }

  @Test
  void shouldCutADocumentThatWasBeingWritten() throws IOException {
    log.recycleAt(10).open();
    log.publish(5);
    log.shut();
    LogFixture.write(log.block(1), log.end(1), littleEndian(UNFINISHED | 100));
    LogFixture.write(
        log.block(1), log.end(1) + 4, "half a doc".getBytes(StandardCharsets.US_ASCII));
    assertThat(log.open().nextSequence()).isEqualTo(5);
    shouldGoOn(0, 5);
  }

  @Test
  void shouldCutADocumentWhoseLengthWasNotKnownYet() throws IOException {
    log.recycleAt(10).open();
    log.publish(5);
    log.shut();
    LogFixture.write(log.block(1), log.end(1), littleEndian(UNFINISHED));
    assertThat(log.open().nextSequence()).isEqualTo(5);
    shouldGoOn(0, 5);
  }

  @Test
  void shouldCutBytesBehindTheEndWithoutAHeader() throws IOException {
    log.recycleAt(10).open();
    log.publish(5);
    log.shut();
    LogFixture.write(
        log.block(1), log.end(1) + 64, "left behind".getBytes(StandardCharsets.US_ASCII));
    assertThat(log.open().nextSequence()).isEqualTo(5);
    shouldGoOn(0, 5);
  }

  @Test
  void shouldGoOnBehindATailThatWasZeroed() throws IOException {
    log.recycleAt(20).open();
    log.publish(10);
    log.shut();
    LogFixture.write(log.block(1), log.offsets(1).get(5), new byte[8192]);
    shouldGoOnBehindAGap(5, 10);
  }

  @Test
  void shouldGoOnBehindATailThatWasCutOff() throws IOException {
    log.recycleAt(20).open();
    log.publish(10);
    log.shut();
    byte[] whole = Files.readAllBytes(log.block(1));
    Files.write(log.block(1), Arrays.copyOf(whole, Math.toIntExact(log.offsets(1).get(5))));
    shouldGoOnBehindAGap(5, 10);
  }

  @Test
  void shouldReadWhereChronicleBeganTheLastDocument() throws IOException {
    log.recycleAt(20).open();
    log.publish(25);
    assertThat(ChronicleHeader.lastDocument(log.block(1))).isEqualTo(log.offsets(1).get(19));
    assertThat(ChronicleHeader.lastDocument(log.block(2))).isEqualTo(log.offsets(2).get(4));
    Path other = Files.write(directory.resolve("other"), new byte[20]);
    assertThat(ChronicleHeader.lastDocument(other)).isEqualTo(-1);
  }

  @Test
  void shouldCutATornFirstDocument() throws IOException {
    log.recycleAt(10).open();
    log.publish(10);
    log.shut(); // block 2 holds nothing but its start
    LogFixture.write(log.block(2), log.end(2), littleEndian(UNFINISHED | 40));
    assertThat(log.open().nextSequence()).isEqualTo(10);
    shouldGoOn(0, 10);
  }

  @Test
  void shouldRemoveBlocksWithoutAHeaderQuickly() throws IOException {
    log.recycleAt(10).open();
    log.publish(15);
    log.shut();
    Files.write(log.block(3), new byte[0]);
    Files.write(log.block(4), new byte[1 << 20]);
    LogFixture.write(log.block(4), 0, littleEndian(UNFINISHED));
    long started = System.nanoTime();
    assertThat(log.open().nextSequence()).isEqualTo(15);
    log.publish(10);
    assertThat(System.nanoTime() - started).isLessThan(Duration.ofSeconds(10).toNanos());
    shouldGoOn(0, 25);
  }

  @Test
  void shouldRemoveWhatWasMadeAheadAndTemporaryFiles() throws IOException {
    log.recycleAt(10).open();
    log.publish(15);
    log.shut();
    Files.write(directory.resolve("b00000003.precreated"), new byte[5 << 20]);
    Files.write(directory.resolve("b00000003.precreated.tmp"), new byte[100]);
    Files.write(directory.resolve("b00000002.seal.tmp"), new byte[10]);
    assertThat(log.open().nextSequence()).isEqualTo(15);
    assertThat(log.files()).noneMatch(file -> file.endsWith("created") || file.endsWith(".tmp"));
    shouldGoOn(0, 15);
  }

  @Test
  void shouldOpenWithoutChroniclesMetadata() throws IOException {
    log.recycleAt(10).open();
    log.publish(15);
    log.shut();
    Files.delete(directory.resolve("metadata.cq4t"));
    assertThat(log.open().nextSequence()).isEqualTo(15);
    shouldGoOn(0, 15);
    log.shut();
    Files.write(directory.resolve("metadata.cq4t"), new byte[] {1, 2, 3});
    assertThat(log.open().nextSequence()).isEqualTo(30);
    shouldHold(0, 30);
  }

  @Test
  void shouldReadTheBlockWhereItsSealIsMissingOrDamaged() throws IOException {
    log.recycleAt(10).open();
    log.publish(45);
    log.shut();
    Files.delete(log.seal(1));
    LogFixture.flip(log.seal(2), 40, 1);
    Files.write(log.seal(3), new byte[] {1, 2, 3});
    Files.copy(log.seal(2), log.seal(9));
    Files.delete(log.seal(4));
    Files.move(log.seal(9), log.seal(4));
    BlockLog opened = log.open();
    assertThat(opened.nextSequence()).isEqualTo(45);
    assertThat(log.sealed()).extracting(Seal::messages).containsExactly(10L, 10L, 10L, 10L);
    shouldGoOn(0, 45);
  }

  @Test
  void shouldFindTheSameContentWithAndWithoutSeals() throws IOException {
    log.recycleAt(10).open();
    log.publish(3).batch(5).batch(4).publish(10).publish(2);
    log.shut();
    log.open();
    List<Seal> sealed = log.sealed();
    assertThat(sealed).hasSize(2);
    log.shut();
    try (Stream<Path> files = Files.list(directory)) {
      for (Path seal : files.filter(file -> file.toString().endsWith(".seal")).toList()) {
        Files.delete(seal);
      }
    }
    log.open();
    assertThat(log.sealed())
        .usingRecursiveComparison()
        .ignoringFields("bytes") // the walk counts the padding behind the last document
        .isEqualTo(sealed);
  }

  @Test
  void shouldNotAppendBehindADocumentWhoseSequencesAreDamaged() throws IOException {
    log.open();
    log.publish(10);
    log.shut();
    LogFixture.flip(log.block(1), log.offsets(1).get(9) + 4 + 10, 1);
    shouldGoOnBehindAGap(9, 10);
  }

  @Test
  void shouldKeepABlockOfWhichNothingCanBeRead() throws IOException {
    log.recycleAt(10).open();
    log.publish(11);
    log.shut();
    LogFixture.flip(log.block(2), log.offsets(2).get(0) + 4 + 10, 1);
    shouldGoOnBehindAGap(10, 11);
    assertThat(log.files()).contains("b00000002.cq4.damaged");
  }

  @Test
  void shouldStartTheNextBlockIfTheCrashCameBeforeIt() throws IOException {
    log.recycleAt(10).open();
    log.publish(20);
    log.shut();
    Files.delete(log.block(3));
    assertThat(log.open().nextSequence()).isEqualTo(20);
    shouldGoOn(0, 20);
    log.shut();
  }

  @Test
  void shouldContinueTheSequenceWhenAllOlderBlocksAreGone() throws IOException {
    BlockLog opened = log.recycleAt(10).open();
    log.publish(30);
    opened.force();
    for (Seal seal : log.sealed()) {
      opened.forget(seal);
      opened.delete(seal);
    }
    assertThat(opened.firstSequence()).isEqualTo(30);
    assertThat(log.reopen().nextSequence()).isEqualTo(30);
    assertThat(log.reopen().nextSequence()).isEqualTo(30);
    assertThat(log.files()).contains("b00000004.cq4").doesNotContain("b00000003.cq4");
    shouldGoOn(30, 30);
  }

  @Test
  void shouldContinueTheSequenceWhenTheOnlyBlockBreaksOffAtOnce() throws IOException {
    BlockLog opened = log.recycleAt(10).open();
    log.publish(10);
    opened.force();
    Seal seal = log.sealed().get(0);
    opened.forget(seal);
    opened.delete(seal);
    log.shut();
    LogFixture.write(log.block(2), log.end(2), littleEndian(UNFINISHED | 40));
    assertThat(log.open().nextSequence()).isEqualTo(10);
    shouldGoOn(10, 10);
  }

  @Test
  void shouldTakeUpTheFilesOfAProcessThatWasKilled() throws IOException {
    Path copy = Files.createDirectory(directory.resolve("copy"));
    Path original = Files.createDirectory(directory.resolve("original"));
    try (LogFixture running = new LogFixture(original).recycleAt(10);
        LogFixture after = new LogFixture(copy).recycleAt(10)) {
      running.open();
      running.publish(7).batch(9).publish(12);
      try (Stream<Path> files = Files.list(original)) {
        for (Path file : files.filter(f -> f.toString().endsWith(".cq4")).toList()) {
          Files.copy(file, copy.resolve(file.getFileName()));
        }
      }
      assertThat(after.open().nextSequence()).isEqualTo(28);
      LogReader reader = after.reader();
      for (int i = 0; i < 28; i++) {
        assertThat(text(reader.next())).isEqualTo("m" + i);
      }
      assertThat(after.publish(10).reader().position()).isZero();
    }
  }

  @Test
  void shouldNeverLetPublishTimesDecreaseWhenTheClockGoesBack() {
    log.recycleAt(4).open();
    log.publish(6);
    log.shut();
    log.clock(new ManualTimeSource(LogFixture.START.minus(Duration.ofDays(1)))).open();
    log.publish(6);
    LogReader reader = log.reader();
    for (int i = 0; i < 12; i++) {
      assertThat(reader.next().publishedAt()).isEqualTo(LogFixture.START);
    }
    log.time().advance(Duration.ofDays(2));
    log.publish(1);
    assertThat(reader.next().publishedAt()).isEqualTo(LogFixture.START.plus(Duration.ofDays(1)));
  }

  @Test
  void shouldNeverLetPublishTimesDecreaseThoughOlderBlocksAreGone() throws IOException {
    BlockLog opened = log.recycleAt(4).open();
    log.publish(4);
    opened.force();
    Seal seal = log.sealed().get(0);
    opened.forget(seal);
    opened.delete(seal);
    log.shut();
    log.clock(new ManualTimeSource(LogFixture.START.minus(Duration.ofDays(1)))).open();
    log.publish(1);
    assertThat(log.reader().next().publishedAt()).isEqualTo(LogFixture.START);
  }

  @Test
  void shouldRecycleByTimeThoughTheClockWentBack() {
    log.recycle(block -> block.ageNanos() >= Duration.ofMinutes(10).toNanos()).open();
    log.publish(1);
    log.shut();
    log.clock(new ManualTimeSource(LogFixture.START.minus(Duration.ofDays(1))));
    BlockLog opened = log.open();
    assertThat(opened.recycleIfDue()).isFalse();
    log.time().advance(Duration.ofMinutes(10));
    assertThat(opened.recycleIfDue()).isTrue();
    assertThat(opened.recycleIfDue()).isFalse();
    shouldGoOn(0, 1);
  }

  @Test
  void shouldRefuseTheBlocksOfAnotherQueueAndTouchNothing() throws IOException {
    log.recycleAt(4).open();
    log.publish(10);
    log.shut();
    List<String> before = log.files();
    UUID other = UUID.fromString("00000000-0000-0000-0000-000000000001");
    assertThatThrownBy(() -> log.open(other))
        .isInstanceOf(RiverException.class)
        .hasMessageContaining("queue.json")
        .hasMessageContaining("nothing was touched");
    for (String seal : before.stream().filter(file -> file.endsWith(".seal")).toList()) {
      Files.delete(log.block(1).resolveSibling(seal));
    }
    assertThatThrownBy(() -> log.open(other)).hasMessageContaining("nothing was touched");
    assertThat(log.open().nextSequence()).isEqualTo(10);
    shouldGoOn(0, 10);
  }

  @Test
  void shouldNotTakeAHoleForTheEnd() throws IOException {
    log.recycleAt(100).open();
    log.publish(30);
    log.shut();
    long hole = log.offsets(1).get(10);
    LogFixture.write(log.block(1), hole, new byte[(int) (log.offsets(1).get(15) - hole)]);
    assertThat(log.open().nextSequence()).isEqualTo(30);
    assertThat(log.files()).contains("b00000001.cq4.damaged");
    shouldDeliver(0, 10);
    shouldMeetDamage(10, 15);
    shouldDeliver(15, 30);
    log.publish(3);
    shouldDeliver(15, 33);
    assertThat(log.reopen().nextSequence()).isEqualTo(33);
    shouldMeetDamage(10, 15);
    shouldDeliver(15, 33);
  }

  @Test
  void shouldOpenThoughThereIsNoSpaceForWhatIsKeptOfDamage() throws IOException {
    log.recycleAt(100).open();
    log.publish(30);
    log.shut();
    long hole = log.offsets(1).get(10);
    LogFixture.write(log.block(1), hole, new byte[(int) (log.offsets(1).get(15) - hole)]);
    log.device(
        new Device() {
          @Override
          public void repaired(Path file) throws IOException {
            if (file.endsWith(LogMarks.NAME)) { // from here on these cannot be written
              Files.createDirectories(file.resolveSibling("gaps/blocked"));
              Files.createDirectories(file.resolveSibling("b00000001.cq4.damaged/blocked"));
            }
          }

          @Override
          public long free(Path directory) {
            return 0;
          }
        });
    assertThat(log.open().nextSequence()).isEqualTo(30);
    shouldDeliver(0, 10);
    shouldMeetDamage(10, 15);
    shouldDeliver(15, 30);
    assertThat(log.files()).noneMatch(file -> file.endsWith(".damaged.tmp"));
    log.shut();
    log.device(Device.REAL);
    assertThat(log.open().nextSequence()).isEqualTo(30);
    shouldMeetDamage(10, 15);
    shouldDeliver(15, 30);
  }

  @Test
  void shouldCopyOfADamagedBlockOnlyWhatIsUsed() throws IOException {
    log.recycleAt(100).open();
    log.publish(30);
    log.shut();
    long hole = log.offsets(1).get(10);
    long end = log.end(1);
    byte[] lost = new byte[(int) (log.offsets(1).get(15) - hole)];
    LogFixture.write(log.block(1), hole, lost);
    LogFixture.write(log.block(1), 1 << 20, new byte[1 << 20]);
    byte[] before = Files.readAllBytes(log.block(1));
    log.open();
    byte[] kept = Files.readAllBytes(directory.resolve("b00000001.cq4.damaged"));
    assertThat(kept).hasSizeLessThan(1 << 20).hasSizeGreaterThanOrEqualTo((int) end - 4);
    assertThat(kept).isEqualTo(Arrays.copyOf(before, kept.length));
  }

  @Test
  void shouldKeepABlockWhoseFirstBytesAreGone() throws IOException {
    for (int lost : new int[] {4, 4096}) {
      for (int block = 1; block <= 3; block++) {
        log.recycleAt(10).open();
        log.publish(25);
        log.shut();
        LogFixture.write(log.block(block), 0, new byte[lost]);
        assertThat(log.open().nextSequence()).isEqualTo(25);
        assertThat(log.files()).contains(log.block(block).getFileName() + ".damaged");
        assertThat(log.sealed())
            .extracting(Seal::messages)
            .allMatch(held -> held == 10 || held == 5);
        shouldGoOn(0, 25);
        log.shut();
        for (String file : log.files()) {
          Files.delete(log.block(1).resolveSibling(file));
        }
      }
    }
  }

  @Test
  void shouldNotUseTheSequencesOfABlockThatIsMissing() throws IOException {
    log.recycleAt(10).open();
    log.publish(25);
    log.shut();
    Files.delete(log.block(3));
    Files.delete(log.block(2));
    assertThat(log.open().nextSequence()).isEqualTo(25);
    shouldDeliver(0, 10);
    shouldMeetDamage(10, 25);
  }

  /** Opens; the log holds all below the gap, and nothing of it ever takes its sequences. */
  private void shouldGoOnBehindAGap(long first, long end) throws IOException {
    for (int round = 0; round < 3; round++) {
      BlockLog opened = log.reopen();
      assertThat(opened.nextSequence()).isEqualTo(end + round * 12L);
      assertThat(opened.gaps().all())
          .extracting(Gaps.Gap::first, Gaps.Gap::end, Gaps.Gap::damaged)
          .containsExactly(tuple(first, end, true));
      shouldDeliver(0, first);
      shouldMeetDamage(first, end);
      log.publish(12);
      shouldDeliver(end, opened.nextSequence());
    }
  }

  private void shouldMeetDamage(long first, long end) {
    LogReader reader = log.reader();
    for (long sequence = first; sequence < end; sequence++) {
      reader.moveTo(sequence);
      assertThatThrownBy(reader::next)
          .isInstanceOf(DamagedMessageException.class)
          .hasMessageContaining("sequence " + sequence);
    }
  }

  private void shouldDeliver(long first, long end) {
    LogReader reader = log.reader();
    reader.moveTo(first);
    for (long sequence = first; sequence < end; sequence++) {
      assertThat(reader.next().sequence()).isEqualTo(sequence);
    }
  }

  /** The system gives EIO for a file that is mapped memory where nothing is mapped. */
  @Test
  @EnabledOnOs(OS.LINUX)
  void shouldNameTheFileThatCannotBeRead() throws IOException {
    log.recycleAt(10).open();
    log.publish(25);
    log.shut();
    Path aside = Files.createDirectory(directory.resolve("aside")).resolve("block");
    Path leftover = Files.createFile(directory.resolve("left.tmp"));
    log.device(
        new Device() {
          @Override
          public void repaired(Path file) throws IOException {
            if (file.equals(leftover)) { // behind the first look at each file
              Files.move(log.block(3), aside);
              Files.createSymbolicLink(log.block(3), Path.of("/proc/self/mem"));
            }
          }
        });
    assertThatThrownBy(log::open)
        .isInstanceOf(RiverException.class)
        .hasMessageContainingAll(
            "queue orders", log.block(3) + " at byte 0", "Input/output error", "put a copy");
    Files.move(aside, log.block(3), StandardCopyOption.REPLACE_EXISTING);
    assertThat(log.open().gaps().all()).isEmpty();
    shouldHold(0, 25);
  }
}
