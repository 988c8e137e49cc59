package com.wookler.river.core.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.log.files.Gaps;
import com.wookler.river.core.log.files.LogMarks;
import com.wookler.river.core.log.files.Seal;
import com.wookler.river.testing.CapturedLog;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;
import org.assertj.core.groups.Tuple;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Where the log ended, and what it has lost: the files {@code marks} and {@code gaps}. */
@Timeout(120)
class GapsTest {
  private static final int END_A = 64;
  private static final int END_B = 128;
  private static final int FORCED_A = 4096;
  private static final int FORCED_B = 4160;

  @TempDir Path directory;

  private final CapturedLog captured = new CapturedLog(BlockLog.class.getPackageName());
  private LogFixture log;
  private Path marks;
  private Path gaps;

  @BeforeEach
  void make() {
    log = new LogFixture(directory).recycleAt(10);
    marks = directory.resolve("marks");
    gaps = directory.resolve("gaps");
  }

  @AfterEach
  void close() {
    log.close();
    captured.close();
  }

  /** Leaves a closed log of so many messages. */
  private void publish(int messages) {
    log.open();
    log.publish(messages);
    log.shut();
    captured.takeWarnings();
  }

  /** Zeroes a block from this document on. */
  private void zero(int block, int document) throws IOException {
    long from = log.offsets(block).get(document);
    LogFixture.write(log.block(block), from, new byte[(int) (Files.size(log.block(block)) - from)]);
  }

  private static long longAt(Path file, int offset) throws IOException {
    return ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN).getLong(offset);
  }

  private static void shouldHave(BlockLog opened, Tuple... expected) {
    assertThat(opened.gaps().all())
        .extracting(Gaps.Gap::first, Gaps.Gap::end, Gaps.Gap::block, Gaps.Gap::damaged)
        .containsExactly(expected);
  }

  @Test
  void shouldSayWhereTheLogEndsAtEachAppend() throws IOException {
    log.open();
    for (int i = 1; i < 25; i++) {
      log.publish(1);
      assertThat(Math.max(longAt(marks, END_A), longAt(marks, END_B))).isEqualTo(i);
    }
    assertThat(Math.abs(longAt(marks, END_A) - longAt(marks, END_B))).isEqualTo(1);
  }

  @Test
  void shouldSayHowFarTheLogWasForced() throws IOException {
    BlockLog opened = log.open();
    log.publish(4);
    assertThat(Math.max(longAt(marks, FORCED_A), longAt(marks, FORCED_B))).isZero();
    opened.force();
    assertThat(Math.max(longAt(marks, FORCED_A), longAt(marks, FORCED_B))).isEqualTo(4);
    log.publish(5); // not to the block's end, behind which all is forced
    opened.commits().await(9);
    assertThat(Math.max(longAt(marks, FORCED_A), longAt(marks, FORCED_B))).isEqualTo(9);
    assertThat(opened.isDirty()).as("the mark itself is not forced").isTrue();
    opened.force();
    assertThat(opened.isDirty()).isFalse();
  }

  @Test
  void shouldTellALostTailFromDamage() throws IOException {
    publish(18);
    zero(2, 2);
    for (int slot : new int[] {FORCED_A, FORCED_B}) {
      assertThat(longAt(marks, slot)).isLessThanOrEqualTo(18);
    }
    byte[] forcedTo15 = marksForcedTo(15);
    LogFixture.write(marks, FORCED_A, Arrays.copyOfRange(forcedTo15, FORCED_A, LogMarks.BYTES));
    BlockLog opened = log.open();
    assertThat(opened.nextSequence()).isEqualTo(18);
    shouldHave(opened, tuple(12L, 15L, 2, true), tuple(15L, 18L, 2, false));
    assertThat(captured.takeWarnings())
        .anySatisfy(
            line ->
                assertThat(line)
                    .contains("orders", "damaged", "sequences 12 to 14", "b00000002.cq4", "lost"))
        .anySatisfy(
            line ->
                assertThat(line)
                    .contains("orders", "sequences 15 to 17", "b00000002.cq4", "lost")
                    .doesNotContain("damaged"));
    assertThat(opened.repaired()).contains("6 messages lost in 2 gaps");
    assertThat(opened.gaps().messagesFrom(0)).isEqualTo(6);
    assertThat(opened.gaps().messagesFrom(14)).isEqualTo(4);
    assertThat(opened.gaps().messagesFrom(18)).isZero();
    assertThat(opened.gaps().endOf(11)).isEqualTo(11);
    assertThat(opened.gaps().endOf(12)).isEqualTo(18);
    assertThat(opened.gaps().endOf(15)).isEqualTo(18);
    log.reopen();
    assertThat(captured.takeWarnings()).as("reported once").isEmpty();
  }

  @Test
  void shouldRemoveBlocksOfWhichAPowerLossLeftZeros() throws IOException {
    publish(35);
    Files.delete(log.seal(3));
    for (int block = 3; block <= 4; block++) {
      Files.write(log.block(block), new byte[(int) Files.size(log.block(block))]);
    }
    byte[] forcedTo20 = marksForcedTo(20);
    LogFixture.write(marks, FORCED_A, Arrays.copyOfRange(forcedTo20, FORCED_A, LogMarks.BYTES));
    BlockLog opened = log.open();
    assertThat(opened.nextSequence()).isEqualTo(35);
    shouldHave(opened, tuple(20L, 35L, 3, false));
    assertThat(captured.takeWarnings())
        .singleElement()
        .asString()
        .contains("sequences 20 to 34", "lost")
        .doesNotContain("damaged");
    assertThat(log.files()).contains("b00000005.cq4").noneMatch(f -> f.endsWith(".damaged"));
  }

  /** The marks of a log of the same queue that was forced up to there. */
  private byte[] marksForcedTo(int messages) throws IOException {
    Path other = Files.createDirectory(directory.resolve("other"));
    try (LogFixture fixture = new LogFixture(other)) {
      BlockLog opened = fixture.open();
      fixture.publish(messages);
      opened.force();
      return Files.readAllBytes(other.resolve("marks"));
    }
  }

  @Test
  void shouldGiveNoSequenceThatASubscriberHasFinished() throws IOException {
    publish(5);
    BlockLog opened = log.finished(12).open();
    assertThat(opened.nextSequence()).isEqualTo(12);
    shouldHave(opened, tuple(5L, 12L, 1, false));
    log.publish(3);
    opened = log.finished(0).reopen();
    assertThat(opened.nextSequence()).isEqualTo(15);
    shouldHave(opened, tuple(5L, 12L, 1, false));
  }

  @Test
  void shouldTakeTheOtherSlotForOneThatIsTornOrFlipped() throws IOException {
    publish(18);
    int newer = longAt(marks, END_A) > longAt(marks, END_B) ? END_A : END_B;
    byte[] before = Files.readAllBytes(marks);
    byte[] block = Files.readAllBytes(log.block(2));
    for (int at = newer; at < newer + 16; at++) {
      Files.write(marks, before);
      Files.write(log.block(2), block);
      LogFixture.flip(marks, at, 0x10);
      zero(2, 2);
      assertThat(log.open().nextSequence()).as("byte %s", at).isEqualTo(17);
      log.shut();
      for (String file : log.files()) {
        if (file.startsWith("b00000003") || file.equals("gaps") || file.equals("b00000002.seal")) {
          Files.delete(directory.resolve(file));
        }
      }
    }
  }

  @Test
  void shouldReportMarksThatAreMissingOnce() throws IOException {
    log.open();
    assertThat(captured.takeWarnings()).as("a new log has none").isEmpty();
    log.shut();
    publish(15);
    Files.delete(marks);
    assertThat(log.open().nextSequence()).isEqualTo(15);
    assertThat(captured.takeWarnings())
        .singleElement()
        .asString()
        .contains("orders", "damaged", "marks", "missing");
    log.reopen();
    assertThat(captured.takeWarnings()).isEmpty();
  }

  @Test
  void shouldSetDamagedMarksAside() throws IOException {
    publish(15);
    List<byte[]> damages =
        List.of(new byte[0], new byte[LogMarks.BYTES], new byte[100], new byte[2 * LogMarks.BYTES]);
    for (byte[] damage : damages) {
      Files.write(marks, damage);
      assertThat(log.open().nextSequence()).isEqualTo(15);
      assertThat(captured.takeWarnings())
          .singleElement()
          .asString()
          .contains("orders", "damaged", marks.toString());
      log.reopen();
      assertThat(captured.takeWarnings()).isEmpty();
      log.shut();
    }
    Files.delete(marks);
    Files.createDirectory(marks);
    Files.createFile(marks.resolve("file"));
    assertThat(log.open().nextSequence()).isEqualTo(15);
    assertThat(captured.takeWarnings()).hasSize(1);
    assertThat(log.files()).contains("marks.damaged", "marks.damaged-5");
  }

  @Test
  void shouldFindTheGapsAgainWhenTheirFileIsDamaged() throws IOException {
    publish(18);
    zero(2, 2);
    log.open();
    log.publish(30);
    log.shut();
    captured.takeWarnings();
    byte[] before = Files.readAllBytes(gaps);
    for (int at = 0; at < before.length; at++) {
      Files.write(gaps, before);
      LogFixture.flip(gaps, at, 1 << (at & 7));
      BlockLog opened = log.open();
      shouldHave(opened, tuple(12L, 18L, 2, true));
      assertThat(captured.takeWarnings())
          .anySatisfy(line -> assertThat(line).contains("orders", "damaged", gaps.toString()))
          .anySatisfy(line -> assertThat(line).contains("sequences 12 to 17"));
      log.shut();
      Files.delete(directory.resolve("gaps.damaged"));
    }
    Files.delete(gaps);
    shouldHave(log.open(), tuple(12L, 18L, 2, true));
  }

  @Test
  void shouldForgetAGapWhenTheBlocksBehindItAreGone() throws IOException {
    publish(18);
    zero(2, 2);
    BlockLog opened = log.open();
    log.publish(20);
    opened.force();
    removeOldest(opened);
    removeOldest(opened);
    opened = log.reopen();
    assertThat(opened.firstSequence()).isEqualTo(18);
    assertThat(opened.nextSequence()).isEqualTo(38);
    shouldHave(opened, tuple(12L, 18L, 2, true)); // a subscriber may stand at 12
    removeOldest(opened);
    opened = log.reopen();
    assertThat(opened.firstSequence()).isEqualTo(28);
    shouldHave(opened);
    assertThat(captured.takeWarnings())
        .allSatisfy(line -> assertThat(line).doesNotContain("is missing"));
  }

  private static void removeOldest(BlockLog opened) throws IOException {
    Seal oldest = opened.oldestSealed().orElseThrow();
    opened.forget(oldest);
    opened.delete(oldest);
  }

  @Test
  void shouldGoOnWithTheSequenceAndTheBlockWhenAllFilesAreGone() throws IOException {
    publish(25);
    for (String file : log.files()) {
      if (!file.equals("marks")) {
        Files.delete(directory.resolve(file));
      }
    }
    BlockLog opened = log.open();
    assertThat(opened.nextSequence()).isEqualTo(25);
    assertThat(opened.firstSequence()).isEqualTo(25);
    assertThat(captured.takeWarnings())
        .singleElement()
        .asString()
        .contains("orders", "damaged", directory.toString(), "sequences 0 to 24", "block 3");
    assertThat(opened.gaps().messagesFrom(0)).isEqualTo(25);
    log.publish(1);
    assertThat(log.files()).contains("b00000004.cq4");
  }

  /** Its first document lost, an empty block says nothing of the sequences before it. */
  @Test
  void shouldGoOnWithTheSequenceWhenTheOnlyBlockHasLostItsStart() throws IOException {
    BlockLog opened = log.open();
    log.publish(10);
    opened.force();
    Seal seal = opened.oldestSealed().orElseThrow();
    opened.forget(seal);
    opened.delete(seal);
    log.shut();
    LogFixture.flip(log.block(2), log.end(2) - 20, 1);
    opened = log.open();
    assertThat(opened.nextSequence()).isEqualTo(10);
    shouldHave(opened);
    assertThat(captured.takeWarnings()).singleElement().asString().contains("damaged", "block 2");
    log.publish(3);
    assertThat(log.reopen().nextSequence()).isEqualTo(13);
    assertThat(captured.takeWarnings()).isEmpty();
  }

  @Test
  void shouldRefuseWhatANewerVersionWrote() throws IOException {
    publish(18);
    zero(2, 2);
    log.open();
    log.shut();
    byte[] before = Files.readAllBytes(marks);
    ByteBuffer newer = ByteBuffer.wrap(before.clone()).order(ByteOrder.LITTLE_ENDIAN);
    Files.write(marks, newer.putInt(8, 2).putInt(32, crc(newer.array(), 32)).array());
    assertThatThrownBy(log::open)
        .isInstanceOf(RiverException.class)
        .hasMessageContaining(marks + " has format version 2");
    Files.write(marks, before);
    byte[] found = Files.readAllBytes(gaps);
    ByteBuffer other = ByteBuffer.wrap(found).order(ByteOrder.LITTLE_ENDIAN).putInt(8, 2);
    Files.write(gaps, other.putInt(found.length - 4, crc(found, found.length - 4)).array());
    assertThatThrownBy(log::open)
        .isInstanceOf(RiverException.class)
        .hasMessageContaining("gaps has format version 2");
  }

  private static int crc(byte[] bytes, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, length);
    return (int) crc.getValue();
  }
}
