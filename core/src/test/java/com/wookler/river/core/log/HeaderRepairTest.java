package com.wookler.river.core.log;

import static com.wookler.river.core.log.LogFixture.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.wookler.river.common.file.OwnershipCheck;
import com.wookler.river.core.log.chronicle.ChronicleHeader;
import com.wookler.river.core.log.files.BlockStart;
import com.wookler.river.core.log.files.Seal;
import com.wookler.river.core.log.recovery.BlockProbe;
import com.wookler.river.testing.CapturedLog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Damage to what Chronicle keeps in a block beside the messages: it costs none of them. */
@Timeout(120)
class HeaderRepairTest {
  private static final int MESSAGES = 50;

  @TempDir Path directory;

  private final CapturedLog captured = new CapturedLog(BlockLog.class.getPackageName());
  private LogFixture log;

  @BeforeEach
  void make() {
    log = new LogFixture(directory).recycleAt(20);
    log.open();
    log.publish(MESSAGES);
    log.shut();
  }

  @AfterEach
  void close() {
    log.close();
    captured.close();
  }

  private void shouldLoseNothing(String what) {
    captured.takeWarnings();
    BlockLog opened = log.open();
    assertThat(opened.nextSequence()).as(what).isEqualTo(MESSAGES);
    assertThat(opened.gaps().all()).as(what).isEmpty();
    log.publish(25); // behind it, and across a block's end
    LogReader reader = log.reader();
    for (long sequence = 0; sequence < MESSAGES + 25; sequence++) {
      assertThat(text(reader.next())).as(what).isEqualTo("m" + sequence);
    }
    reader.moveTo(47);
    assertThat(reader.next().sequence()).as(what).isEqualTo(47);
    log.shut();
  }

  private void restore(byte[] block, int number) throws IOException {
    for (String file : log.files()) {
      boolean isOlder = file.compareTo(log.block(number + 1).getFileName().toString()) < 0;
      if (!isOlder || file.endsWith(".damaged") || file.equals("marks")) {
        Files.delete(directory.resolve(file));
      }
    }
    Files.write(log.block(number), block);
    Files.deleteIfExists(log.seal(number));
  }

  @Test
  void shouldOpenWhateverIsDamagedOfTheActiveBlocksHeader() throws IOException {
    byte[] block = Files.readAllBytes(log.block(3));
    for (int at = 0; at < 250; at += at < 232 ? 13 : 7) {
      restore(block, 3);
      LogFixture.flip(log.block(3), at, 1 << (at & 7));
      shouldLoseNothing("byte " + at);
    }
  }

  @Test
  void shouldOpenWhateverIsDamagedOfTheIndex() throws IOException {
    byte[] block = Files.readAllBytes(log.block(3));
    for (int at : new int[] {233, 241, 33_010, 33_033, 33_041, 40_000}) {
      restore(block, 3);
      LogFixture.flip(log.block(3), at, 0x20);
      shouldLoseNothing("byte " + at);
    }
    restore(block, 3);
    LogFixture.write(log.block(3), 4096, new byte[40_000]);
    shouldLoseNothing("zeroed");
  }

  @Test
  void shouldSetTheOriginalAsideAndCloseTheBlock() throws IOException {
    LogFixture.flip(log.block(3), 85, 4);
    byte[] before = Files.readAllBytes(log.block(3));
    captured.takeWarnings();
    log.open();
    assertThat(captured.takeWarnings())
        .singleElement()
        .asString()
        .contains("damaged", log.block(3).toString(), "b00000003.cq4.damaged");
    assertThat(directory.resolve("b00000003.cq4.damaged")).hasBinaryContent(before);
    log.publish(1);
    assertThat(log.files()).contains("b00000004.cq4");
    assertThat(log.sealed()).extracting(Seal::block, Seal::messages).contains(tuple(3, 10L));
    log.reopen();
    assertThat(captured.takeWarnings()).as("repaired for good").isEmpty();
  }

  @Test
  void shouldKeepTheMessagesOfAnUnsealedBlockWithoutAStart() throws IOException {
    for (int lost : new int[] {4, 300, ChronicleHeader.BYTES + 4 + BlockStart.BYTES}) {
      byte[] block = Files.readAllBytes(log.block(3));
      byte[] damaged = block.clone();
      Arrays.fill(damaged, 0, lost, (byte) 0);
      Files.write(log.block(3), damaged);
      shouldLoseNothing(lost + " bytes");
      restore(block, 3);
    }
  }

  /** The last bit of its header is all that was missing: the block has not begun. */
  @Test
  void shouldNotGoOnInABlockWhoseStartWasBeingWritten() throws IOException {
    log.open();
    log.publish(10);
    log.shut();
    LogFixture.flip(log.block(4), ChronicleHeader.BYTES + 3, 0x80);
    captured.takeWarnings();
    for (int round = 1; round <= 2; round++) {
      log.open();
      log.publish(5);
      log.shut();
    }
    log.open();
    LogReader reader = log.reader();
    for (int sequence = 0; sequence < MESSAGES + 20; sequence++) {
      assertThat(text(reader.next())).isEqualTo("m" + sequence);
    }
    assertThat(captured.takeWarnings()).isEmpty();
  }

  /** Chronicle may begin blocks otherwise one day: then a new block would not be believed. */
  @Test
  void shouldBelieveWhatChronicleWrites() throws IOException {
    for (int block = 1; block <= 3; block++) {
      BlockProbe probe = BlockProbe.of(block, log.block(block), settings().log());
      assertThat(probe.fault()).isEmpty();
      assertThat(probe.isValid()).isTrue();
    }
    log.close();
    Path large = Files.createDirectory(directory.resolve("large"));
    log = new LogFixture(large).blockBytes(8 << 20);
    log.open();
    log.batch(10).publish(70_000); // two indexes
    log.shut();
    captured.takeWarnings();
    assertThat(log.open().nextSequence()).isEqualTo(70_010);
    assertThat(log.sealed()).isEmpty();
    assertThat(captured.takeWarnings()).isEmpty();
  }

  /** All was archived while the next block waited for space: nothing is missing. */
  @Test
  void shouldNotMissABlockThatHasNotBegun() throws IOException {
    BlockLog opened = log.open();
    opened.force();
    log.sealed().forEach(opened::forget);
    for (int block = 1; block <= 2; block++) {
      opened.delete(Seal.read(log.seal(block)));
    }
    log.publish(10);
    opened.force();
    Seal last = Seal.read(log.seal(3));
    opened.forget(last);
    opened.delete(last);
    log.shut();
    Files.write(log.seal(3), last.encode()); // as a kill leaves it between the two
    Files.delete(log.block(4));
    captured.takeWarnings();
    opened = log.open();
    assertThat(opened.nextSequence()).isEqualTo(60);
    assertThat(opened.gaps().all()).isEmpty();
    assertThat(opened.repaired()).isEqualTo("nothing to repair");
    assertThat(captured.takeWarnings()).isEmpty();
    log.publish(1);
    assertThat(log.files()).contains("b00000005.cq4").doesNotContain("b00000003.seal");
  }

  private LogSettings settings() {
    return new LogSettings(
        "orders",
        LogFixture.IDENTITY,
        directory,
        1 << 20,
        block -> false,
        0,
        log.time(),
        0,
        OwnershipCheck.UNDISPUTED);
  }
}
