package com.wookler.river.core.log;

import static com.wookler.river.core.log.LogFixture.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.wookler.river.common.file.Device;
import com.wookler.river.core.log.chronicle.ChronicleHeader;
import com.wookler.river.core.log.files.BlockName;
import com.wookler.river.core.log.files.BlockStart;
import com.wookler.river.core.log.files.Seal;
import com.wookler.river.testing.CapturedLog;
import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Files of the log that somebody has exchanged, cut or replaced while it was closed: opening names
 * each, and loses no more than what is not there.
 */
@Timeout(120)
class DamagedFilesTest {
  private static final UUID OTHER = UUID.fromString("00000000-0000-0000-0000-000000000001");
  private static final int MESSAGES = 35;

  @TempDir Path directory;

  private final CapturedLog captured = new CapturedLog(BlockLog.class.getPackageName());
  private LogFixture log;
  private Path queue;

  @BeforeEach
  void make() throws IOException {
    queue = Files.createDirectory(directory.resolve("queue"));
    log = new LogFixture(queue).recycleAt(10);
    log.open();
    log.publish(MESSAGES);
    log.shut();
    captured.takeWarnings();
  }

  @AfterEach
  void close() {
    log.close();
    captured.close();
  }

  /** Opens; all but these are delivered, the file is named, and the next opening is quiet. */
  private void shouldLose(long first, long end, Path named) throws IOException {
    BlockLog opened = log.open();
    assertThat(opened.nextSequence()).isEqualTo(MESSAGES);
    assertThat(captured.takeWarnings())
        .anySatisfy(line -> assertThat(line).contains("orders", "damaged", named.toString()));
    List<Long> lost = LongStream.range(first, end).boxed().toList();
    List<Long> gaps = new ArrayList<>();
    opened
        .gaps()
        .all()
        .forEach(
            gap -> {
              assertThat(gap.damaged()).isTrue();
              gaps.addAll(LongStream.range(gap.first(), gap.end()).boxed().toList());
            });
    assertThat(gaps).isEqualTo(lost);
    shouldHoldAllBut(opened);
    log.publish(1);
    opened = log.reopen();
    assertThat(opened.nextSequence()).isEqualTo(MESSAGES + 1);
    shouldHoldAllBut(opened);
    assertThat(captured.takeWarnings()).isEmpty();
    opened.force();
    assertThat(log.sealed()).allSatisfy(seal -> assertThat(log.seal(seal.block())).exists());
  }

  private void shouldHoldAllBut(BlockLog opened) {
    LogReader reader = log.reader();
    for (long sequence = opened.firstSequence(); sequence < opened.nextSequence(); sequence++) {
      if (opened.gaps().endOf(sequence) == sequence) {
        reader.moveTo(sequence);
        assertThat(text(reader.next())).isEqualTo("m" + sequence);
      }
    }
  }

  private static void swap(Path one, Path other) throws IOException {
    Path aside = one.resolveSibling("swap");
    Files.move(one, aside);
    Files.move(other, one);
    Files.move(aside, other);
  }

  /** A file of another queue's log. */
  private Path foreign(String name) throws IOException {
    Path other = Files.createDirectories(directory.resolve("other"));
    try (LogFixture fixture = new LogFixture(other).recycleAt(10)) {
      fixture.open(OTHER);
      fixture.publish(25);
    }
    return other.resolve(name);
  }

  @Test
  void shouldPutBlocksBackThatWereSwapped() throws IOException {
    swap(log.block(1), log.block(3));
    shouldLose(0, 0, log.block(1));
  }

  @Test
  void shouldPutTheActiveBlockBackThatWasSwapped() throws IOException {
    swap(log.block(2), log.block(4));
    shouldLose(0, 0, log.block(4));
  }

  @Test
  void shouldPutABlockBackWhoseCrashCameInBetween() throws IOException {
    Files.move(log.block(2), BlockName.misplaced(queue, 2));
    assertThat(log.open().gaps().all()).isEmpty();
    shouldHoldAllBut(log.reopen());
  }

  @Test
  void shouldSetTheCopyOfAnotherBlockAside() throws IOException {
    Files.copy(log.block(1), log.block(2), StandardCopyOption.REPLACE_EXISTING);
    shouldLose(10, 20, log.block(2));
    assertThat(log.files()).contains("b00000002.cq4.damaged");
  }

  @Test
  void shouldPutASoundBlockBackThoughJunkHasItsName() throws IOException {
    byte[] junk = "no block, but somebody's notes".getBytes(StandardCharsets.UTF_8);
    swap(log.block(1), log.block(3));
    Files.write(log.block(1), junk);
    shouldLose(20, 30, log.block(1));
    assertThat(queue.resolve("b00000003.cq4.damaged")).hasBinaryContent(junk);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"foo.cq4", "a.cq4", "b00000004 (copy).cq4", "b0000000x.cq4", "b99999999999.cq4"})
  void shouldSetAFileAsideThatTheStoreWouldTakeForABlock(String name) throws IOException {
    Path file = Files.copy(log.block(4), queue.resolve(name));
    byte[] content = Files.readAllBytes(file);
    shouldLose(0, 0, file);
    assertThat(file).doesNotExist();
    assertThat(queue.resolve(name + ".damaged")).hasBinaryContent(content);
  }

  @Test
  void shouldPublishOnThoughSuchAFileComesWhileItIsOpen() throws IOException {
    log.open();
    Files.writeString(queue.resolve("foo.cq4"), "no block");
    log.publish(30); // in several blocks
    assertThat(log.reopen().nextSequence()).isEqualTo(MESSAGES + 30);
    assertThat(log.files()).contains("foo.cq4.damaged");
  }

  @Test
  void shouldPutSwappedBlocksBackThoughOneHasLostItsStart() throws IOException {
    byte[] start = new byte[BlockStart.BYTES];
    LogFixture.write(log.block(3), log.offsets(3).get(0) - BlockStart.BYTES, start);
    swap(log.block(1), log.block(3));
    shouldLose(0, 0, log.block(1));
  }

  @Test
  void shouldPutBlocksOfACircleBackThoughOneHasLostItsStart() throws IOException {
    LogFixture.write(log.block(2), log.offsets(2).get(0) - BlockStart.BYTES, new byte[20]);
    swap(log.block(1), log.block(3));
    swap(log.block(1), log.block(2));
    shouldLose(0, 0, log.block(3));
  }

  @Test
  void shouldGoOnPuttingBackAfterACrashInBetween() throws IOException {
    LogFixture.write(log.block(3), log.offsets(3).get(0) - BlockStart.BYTES, new byte[20]);
    swap(log.block(1), log.block(3));
    Files.move(log.block(1), BlockName.misplaced(queue, 3));
    assertThat(log.open().gaps().all()).isEmpty();
    shouldHoldAllBut(log.reopen());
  }

  @Test
  void shouldSetASoundBlockAsideThatIsAnotherQueuesThoughItHasTheNameOfOurs() throws IOException {
    Files.move(log.block(2), log.block(3), StandardCopyOption.REPLACE_EXISTING);
    Files.copy(foreign("b00000002.cq4"), log.block(2));
    shouldLose(20, 30, log.block(2));
    assertThat(log.files()).contains("b00000002.cq4.damaged");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "marks",
        "gaps",
        "metadata.cq4t",
        "b00000002.seal",
        "b00000001.seal",
        "b00000009.precreated"
      })
  void shouldPutABlockBackThatHasTheNameOfAnotherKindOfFile(String name) throws IOException {
    Files.move(log.block(2), queue.resolve(name), StandardCopyOption.REPLACE_EXISTING);
    shouldLose(0, 0, queue.resolve(name));
  }

  @Test
  void shouldDeleteNoSealThatMayBeABlock() throws IOException {
    byte[] junk = new byte[100_000];
    Files.write(log.seal(2), junk);
    shouldLose(0, 0, log.seal(2));
    assertThat(queue.resolve("b00000002.seal.damaged")).hasBinaryContent(junk);
  }

  @Test
  void shouldNotBelieveSealsThatWereSwapped() throws IOException {
    swap(log.seal(1), log.seal(2));
    shouldLose(0, 0, log.seal(1));
  }

  @Test
  void shouldNotBelieveTheSealOfAnotherQueue() throws IOException {
    Files.copy(foreign("b00000002.seal"), log.seal(2), StandardCopyOption.REPLACE_EXISTING);
    shouldLose(0, 0, log.seal(2));
    assertThat(log.files()).contains("b00000002.seal.damaged");
  }

  @Test
  void shouldSetABlockOfAnotherQueueAside() throws IOException {
    Files.copy(foreign("b00000002.cq4"), log.block(2), StandardCopyOption.REPLACE_EXISTING);
    shouldLose(10, 20, log.block(2));
    assertThat(log.files()).contains("b00000002.cq4.damaged");
  }

  @Test
  void shouldNotBelieveASealWithAFlippedBit() throws IOException {
    byte[] seal = Files.readAllBytes(log.seal(2));
    for (int at = 0; at < seal.length; at += 3) {
      LogFixture.flip(log.seal(2), at, 1 << (at & 7));
      BlockLog opened = log.open();
      assertThat(captured.takeWarnings())
          .as("byte %s", at)
          .singleElement()
          .asString()
          .contains("damaged", log.seal(2).toString());
      assertThat(opened.gaps().all()).isEmpty();
      shouldHoldAllBut(opened);
      opened.force();
      log.shut();
      assertThat(Files.readAllBytes(log.seal(2))).hasSameSizeAs(seal);
    }
  }

  @Test
  void shouldKeepWhatIsLeftOfASealedBlockThatIsCutShort() throws IOException {
    byte[] whole = Files.readAllBytes(log.block(2));
    Files.write(log.block(2), Arrays.copyOf(whole, Math.toIntExact(log.offsets(2).get(4) + 9)));
    shouldLose(14, 20, log.block(2));
  }

  @Test
  void shouldReadASealedBlockThatHasLostItsStart() throws IOException {
    long start = log.offsets(2).get(0) - BlockStart.BYTES;
    LogFixture.flip(log.block(2), start + 30, 4);
    BlockLog opened = log.open();
    assertThat(captured.takeWarnings())
        .singleElement()
        .asString()
        .contains("damaged", log.block(2).toString());
    assertThat(opened.gaps().all()).isEmpty();
    shouldHoldAllBut(opened);
  }

  /** Chronicle would make the file so long, which no file system can: that is not "not now". */
  @Test
  void shouldReadABlockWhoseIndexLeadsOutOfAnyFile() throws IOException {
    byte[] far = new byte[8];
    far[6] = 16;
    LogFixture.write(log.block(2), ChronicleHeader.INDEX2INDEX, far);
    log.open();
    LogReader reader = log.reader();
    reader.moveTo(13);
    assertThat(text(reader.next())).isEqualTo("m13");
    assertThat(text(reader.next())).isEqualTo("m14");
    assertThat(log.reader().sequenceAt(LogFixture.START.getEpochSecond() * 1_000_000)).isPresent();
  }

  @Test
  void shouldSetADirectoryInPlaceOfABlockAside() throws IOException {
    Files.delete(log.block(2));
    Files.createDirectory(log.block(2));
    Files.createFile(log.block(2).resolve("file"));
    shouldLose(10, 20, log.block(2));
    assertThat(log.files()).contains("b00000002.cq4.damaged");
  }

  @Test
  void shouldFollowNoLinkInPlaceOfABlock() throws IOException {
    Path elsewhere = directory.resolve("elsewhere");
    Files.move(log.block(2), elsewhere);
    Files.createSymbolicLink(log.block(2), elsewhere);
    byte[] before = Files.readAllBytes(elsewhere);
    shouldLose(10, 20, log.block(2));
    assertThat(elsewhere).hasBinaryContent(before);
  }

  @Test
  void shouldSetADirectoryInPlaceOfASealAside() throws IOException {
    Files.delete(log.seal(2));
    Files.createDirectory(log.seal(2));
    shouldLose(0, 0, log.seal(2));
  }

  @Test
  void shouldOpenThoughADirectoryHasTheNameOfALeftover() throws IOException {
    Files.createDirectories(queue.resolve("b00000009.precreated").resolve("inside"));
    BlockLog opened = log.open();
    assertThat(captured.takeWarnings()).singleElement().asString().contains("b00000009.precreated");
    shouldHoldAllBut(opened);
  }

  @Test
  void shouldNameEachBlockThatIsMissing() throws IOException {
    Files.delete(log.block(2));
    Files.delete(log.block(4));
    BlockLog opened = log.open();
    assertThat(captured.takeWarnings())
        .anySatisfy(line -> assertThat(line).contains(log.block(2) + " is missing"))
        .anySatisfy(
            line -> assertThat(line).contains("sequences 10 to 19", log.block(2).toString()))
        .anySatisfy(
            line -> assertThat(line).contains("sequences 30 to 34", log.block(4).toString()));
    assertThat(opened.gaps().messagesFrom(0)).isEqualTo(15);
    assertThat(opened.repaired()).contains("blocks damaged: 1", "15 messages lost in 2 gaps");
    shouldHoldAllBut(opened);
    log.reopen();
    assertThat(captured.takeWarnings()).isEmpty();
  }

  @Test
  void shouldNameTheActiveBlockThatIsMissing() throws IOException {
    Files.delete(log.block(4));
    shouldLose(30, 35, log.block(4));
    log.publish(1);
    assertThat(log.files()).as("its number is not used again").contains("b00000005.cq4");
  }

  @Test
  void shouldNameTheOldestBlockThatIsMissing() throws IOException {
    Files.delete(log.block(1));
    shouldLose(0, 10, log.block(1));
  }

  @Test
  void shouldMissTheOldestBlocksThoughTheirSealsAreGoneToo() throws IOException {
    for (int block = 1; block <= 2; block++) {
      Files.delete(log.block(block));
      Files.delete(log.seal(block));
    }
    shouldLose(0, 20, log.block(2));
  }

  /** As a kill leaves it between the two. */
  @Test
  void shouldNotMissABlockThatWasKeptAsideWhenItLeft() throws IOException {
    BlockLog opened = log.open();
    opened.force();
    Seal seal = opened.oldestSealed().orElseThrow();
    log.salvage(directory).keep(seal);
    assertThat(log.block(1)).doesNotExist();
    opened = log.reopen();
    assertThat(opened.gaps().all()).isEmpty();
    assertThat(opened.firstSequence()).isEqualTo(10);
    assertThat(log.seal(1)).doesNotExist();
    assertThat(captured.takeWarnings()).noneMatch(line -> line.contains("missing"));
  }

  /** A power loss may bring a deletion to the device and not the one before it. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void shouldMissNoBlockThatLeftThoughAnOlderOneIsBack(int left) throws IOException {
    BlockLog opened = log.open();
    opened.force();
    byte[] block = Files.readAllBytes(log.block(1));
    byte[] seal = Files.readAllBytes(log.seal(1));
    for (int i = 0; i < left; i++) {
      Seal oldest = opened.oldestSealed().orElseThrow();
      opened.forget(oldest);
      opened.delete(oldest);
    }
    log.shut();
    for (int back = 0; back < 2; back++) {
      Files.write(log.block(1), block);
      if (back == 0) {
        Files.write(log.seal(1), seal);
      }
      captured.takeWarnings();
      opened = log.open();
      assertThat(opened.firstSequence()).isEqualTo(left == 1 ? 0 : left * 10);
      assertThat(opened.gaps().all()).isEmpty();
      assertThat(opened.nextSequence()).isEqualTo(MESSAGES);
      shouldHoldAllBut(opened);
      opened = log.reopen();
      assertThat(opened.gaps().all()).isEmpty();
      assertThat(captured.takeWarnings()).isEmpty();
      log.shut();
    }
  }

  /** What a force that failed did not bring to the device, the next would not either. */
  @Test
  void shouldDeleteNoBlockBeforeThatIsOnTheDevice() throws IOException {
    AtomicInteger refused = new AtomicInteger();
    AtomicInteger forced = new AtomicInteger();
    log.device(
        new Device() {
          @Override
          public void forceMarks(MappedByteBuffer view, int from, int length) throws IOException {
            if (refused.getAndDecrement() > 0) {
              throw new IOException("Input/output error");
            }
            Device.super.forceMarks(view, from, length);
            forced.incrementAndGet();
          }
        });
    BlockLog opened = log.open();
    opened.force();
    Seal seal = opened.oldestSealed().orElseThrow();
    opened.forget(seal);
    refused.set(1);
    assertThatThrownBy(() -> opened.delete(seal)).hasMessageContaining("marks");
    assertThat(log.block(1)).exists();
    forced.set(0);
    opened.delete(seal);
    assertThat(forced).hasValue(1);
    assertThat(log.block(1)).doesNotExist();
  }
}
