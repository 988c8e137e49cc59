package com.wookler.river.core.log;

import static com.wookler.river.core.log.LogFixture.littleEndian;
import static com.wookler.river.core.log.LogFixture.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.wookler.river.common.file.OwnershipCheck;
import com.wookler.river.core.backup.Backup;
import com.wookler.river.core.log.files.Gaps;
import com.wookler.river.core.log.files.LogMarks;
import com.wookler.river.core.log.files.Seal;
import com.wookler.river.core.message.StoredMessage;
import com.wookler.river.testing.CapturedLog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.assertj.core.groups.Tuple;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a power loss leaves of what was not forced: pages that came to the device in any order, or
 * not at all. It is lost, not damaged, and nothing else is.
 */
@Timeout(120)
class TornTailTest {
  private static final int FORCED_A = 4096;

  @TempDir Path directory;

  private final CapturedLog captured = new CapturedLog(BlockLog.class.getPackageName());
  private LogFixture log;
  private List<Long> offsets;
  private Path queue;

  @BeforeEach
  void make() throws IOException {
    queue = Files.createDirectory(directory.resolve("queue"));
    log = new LogFixture(queue).recycleAt(100);
  }

  @AfterEach
  void close() {
    log.close();
    captured.close();
  }

  /** Leaves a log of single messages and batches of ten, of which the first 20 were forced. */
  private void publish() throws IOException {
    log.open().force();
    log.publish(20);
    log.shut();
    byte[] marks = Files.readAllBytes(queue.resolve("marks"));
    log.open();
    log.publish(5).batch(10).publish(5).batch(10);
    log.shut();
    offsets = log.offsets(1);
    LogFixture.write(
        queue.resolve("marks"), FORCED_A, Arrays.copyOfRange(marks, FORCED_A, LogMarks.BYTES));
    captured.takeWarnings();
  }

  private void zero(int document, int skipped, int bytes) throws IOException {
    long from = offsets.get(document) + skipped;
    LogFixture.write(log.block(1), from, new byte[bytes]);
  }

  private void shouldHave(BlockLog opened, Tuple... gaps) {
    assertThat(opened.gaps().all())
        .extracting(Gaps.Gap::first, Gaps.Gap::end, Gaps.Gap::damaged)
        .containsExactly(gaps);
  }

  /** Delivers all but the gaps, now and after the next opening, and archives all. */
  private void shouldGoOn(Tuple... gaps) throws IOException {
    BlockLog opened = log.open();
    assertThat(opened.nextSequence()).isEqualTo(50);
    assertThat(captured.takeWarnings())
        .hasSize(gaps.length)
        .allSatisfy(
            line -> assertThat(line).contains("sequences", "lost").doesNotContain("damaged"));
    shouldHave(opened, gaps);
    shouldDeliver(opened);
    log.publish(100);
    opened = log.reopen();
    assertThat(captured.takeWarnings()).isEmpty();
    shouldHave(opened, gaps);
    shouldDeliver(opened);
    opened.force();
    shouldArchive(opened);
    Files.delete(queue.resolve("gaps"));
    opened = log.reopen();
    assertThat(opened.gaps().all()) // of what kind they were, that file said only
        .extracting(gap -> tuple(gap.first(), gap.end()))
        .containsExactlyElementsOf(
            Stream.of(gaps).map(gap -> tuple(gap.toArray()[0], gap.toArray()[1])).toList());
    shouldDeliver(opened);
    assertThat(log.files()).noneMatch(file -> file.endsWith(".damaged"));
  }

  private void shouldDeliver(BlockLog opened) {
    LogReader reader = log.reader();
    long end = opened.nextSequence();
    for (long at = opened.gaps().endOf(0); at < end; at = opened.gaps().endOf(at + 1)) {
      long sequence = at;
      reader.moveTo(sequence);
      StoredMessage message = reader.next();
      assertThat(message.sequence()).isEqualTo(sequence);
      assertThat(text(message)).isEqualTo("m" + sequence);
    }
    for (long sequence = end - 1; sequence >= 0; sequence--) {
      if (opened.gaps().endOf(sequence) == sequence) {
        LogReader fresh = opened.reader();
        fresh.moveTo(sequence);
        assertThat(text(fresh.next())).isEqualTo("m" + sequence);
        fresh.close();
      }
    }
  }

  private void shouldArchive(BlockLog opened) throws IOException {
    Path backups = directory.resolve("backups");
    try (Backup backup =
        new Backup("orders", LogFixture.IDENTITY, backups, Duration.ZERO, log.time())) {
      for (Seal seal : log.sealed()) {
        assertThat(backup.verify(backup.archive(seal, log.block(seal.block()))).damages())
            .isEmpty();
        for (long at = seal.firstSequence(); at < seal.endSequence(); at++) {
          Optional<StoredMessage> message = backup.read(at);
          boolean isLost = opened.gaps().endOf(at) > at;
          assertThat(message.isEmpty()).as("sequence %s", at).isEqualTo(isLost);
        }
        List<Long> read = new ArrayList<>();
        for (long at = seal.firstSequence(); at < seal.endSequence(); ) {
          for (StoredMessage each : backup.read(at, Integer.MAX_VALUE)) {
            read.add(each.sequence());
          }
          at = read.get(read.size() - 1) + 1;
        }
        assertThat(read)
            .isEqualTo(
                LongStream.range(seal.firstSequence(), seal.endSequence())
                    .filter(at -> opened.gaps().endOf(at) == at)
                    .boxed()
                    .toList());
      }
    }
  }

  /** As a kill leaves it while it is copied: its sequence is given to another. */
  @Test
  void shouldTakeNothingBehindTheEndOfABlockForItsMessages() throws IOException {
    log.open();
    log.publish(5);
    log.shut();
    byte[] marks = Files.readAllBytes(queue.resolve("marks"));
    long end = log.end(1);
    log.open();
    log.large(1_000);
    log.shut();
    Files.write(queue.resolve("marks"), marks);
    LogFixture.write(log.block(1), end, littleEndian(0x8000_0000));
    LogFixture.write(log.block(1), end + 500, new byte[600]);
    log.open();
    log.publish(95).reopen().force();
    log.shut();
    captured.takeWarnings();
    assertThat(Files.exists(log.seal(1))).isTrue();
    LogFixture.write(log.block(1), 0, new byte[64]); // so that it is looked through
    BlockLog opened = log.open();
    assertThat(opened.nextSequence()).isEqualTo(100);
    assertThat(opened.gaps().all()).isEmpty();
    assertThat(opened.blockOf(4).endSequence()).isEqualTo(5);
    assertThat(captured.takeWarnings()).noneMatch(line -> line.contains("should follow"));
    LogReader reader = log.reader();
    for (long sequence = 0; sequence < 100; sequence++) {
      assertThat(text(reader.next())).isEqualTo("m" + sequence);
    }
  }

  @Test
  void shouldTakeATornBatchOutWhole() throws IOException {
    publish();
    zero(31, 100, 4); // a byte of a message in the middle of the last batch
    shouldGoOn(tuple(40L, 50L, false));
  }

  @Test
  void shouldTakeATornBatchOutWholeThoughWholeMessagesFollow() throws IOException {
    publish();
    zero(25, 100, 4);
    shouldGoOn(tuple(25L, 35L, false));
  }

  @Test
  void shouldKeepWhatIsBehindAHole() throws IOException {
    publish();
    zero(22, 0, (int) (offsets.get(24) - offsets.get(22)));
    shouldGoOn(tuple(22L, 24L, false));
  }

  @Test
  void shouldKeepWhatIsBetweenHoles() throws IOException {
    publish();
    zero(21, 0, 4); // the headers of Chronicle only
    zero(23, 6, 30);
    zero(25, 80, 40);
    zero(29, 0, 200);
    shouldGoOn(tuple(23L, 24L, false), tuple(25L, 35L, false), tuple(38L, 50L, false));
  }

  @Test
  void shouldTakeGarbageInsteadOfATailOut() throws IOException {
    publish();
    byte[] garbage = new byte[700];
    Arrays.fill(garbage, (byte) 0x5A);
    LogFixture.write(log.block(1), offsets.get(27), garbage);
    shouldGoOn(tuple(36L, 50L, false));
  }

  @Test
  void shouldTellWhatWasForcedFromWhatWasNot() throws IOException {
    publish();
    zero(18, 0, (int) (offsets.get(22) - offsets.get(18)));
    BlockLog opened = log.open();
    shouldHave(opened, tuple(18L, 20L, true), tuple(20L, 22L, false));
    assertThat(captured.takeWarnings())
        .anySatisfy(line -> assertThat(line).contains("damaged", "sequences 18 to 19"))
        .anySatisfy(line -> assertThat(line).contains("sequences 20 to 21"));
    assertThat(log.files()).contains("b00000001.cq4.damaged");
    shouldDeliver(opened);
  }

  @Test
  void shouldLeaveDamageToWhatWasForced() throws IOException {
    publish();
    LogFixture.flip(log.block(1), offsets.get(10) + 4 + 42, 1);
    zero(31, 100, 4);
    BlockLog opened = log.open();
    shouldHave(opened, tuple(40L, 50L, false));
    BlockScan scan =
        BlockScan.of(
            opened.blockOf(0),
            new LogSettings(
                "orders",
                LogFixture.IDENTITY,
                queue,
                1 << 20,
                b -> false,
                0,
                log.time(),
                0,
                OwnershipCheck.UNDISPUTED),
            opened.nextSequence());
    assertThat(scan.lost()).extracting(Damage::first, Damage::end).containsExactly(tuple(10L, 11L));
  }

  @Test
  void shouldCountNothingAsLostThatWasBeingWritten() throws IOException {
    publish();
    LogFixture.write(
        log.block(1), log.end(1), littleEndian(0x8000_0000 | 120)); // its header was not complete
    LogFixture.write(log.block(1), log.end(1) + 4, new byte[] {'R', 1, 0, 0, 5, 5, 5, 5});
    BlockLog opened = log.open();
    assertThat(opened.nextSequence()).isEqualTo(50);
    shouldHave(opened);
    assertThat(captured.takeWarnings()).isEmpty();
  }
}
