package com.wookler.river.core.backup;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdInputStream;
import com.wookler.river.core.log.files.Seal;
import com.wookler.river.core.message.DamagedMessageException;
import com.wookler.river.core.message.QueueClosedException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class BackupArchiveTest extends BackupFixture {
  @Test
  void shouldDeleteAReplacedBackupLaterWhereThatFails() throws IOException {
    BlockBuilder block = block(42, 1_000, 100, 1_000_000);
    Path zst = archive(block);
    StoredBlock stored = backup.endingAfter(0).orElseThrow();
    StoredBlock made = BackupRewriter.write(stored, (file, seal) -> seal);
    Path aside = Files.move(zst, temporary.resolve("aside"));
    Files.createDirectories(zst.resolve("in the way"));
    assertThatThrownBy(() -> backup.replace(stored, made)).isInstanceOf(IOException.class);
    Files.delete(zst.resolve("in the way"));
    Files.delete(zst);
    Files.move(aside, zst);
    assertHolds(block);
    backup.deleteTwins(made);
    assertThat(files())
        .containsExactly("2026/11/20/b00000042-2.cq4.zst", "2026/11/20/b00000042-2.seal");
    assertHolds(block);
  }

  @Test
  void shouldGiveBackEveryMessageOfABlock() throws IOException {
    BlockBuilder block = block(42, 1_000, 1_000, 1_000_000);

    Path zst = archive(block);

    assertThat(zst).isEqualTo(directory.resolve("2026/11/20/b00000042.cq4.zst"));
    assertThat(files())
        .containsExactly("2026/11/20/b00000042.cq4.zst", "2026/11/20/b00000042.seal");
    assertHolds(block);
    assertThat(backup.read(999)).isEmpty();
    assertThat(backup.read(2_000)).isEmpty();
    assertThat(backup.verify(zst))
        .isEqualTo(new Verification(zst, 42, 1_000, 1_999, 1_000, List.of()));
    assertThat(warnings()).isEmpty();
  }

  @Test
  void shouldGiveBackEveryMessageAfterARestart() throws IOException {
    BlockBuilder block = block(1, 0, 500, 1_000_000);
    archive(block);

    restart();

    assertHolds(block);
    assertThat(backup.count()).isOne();
    assertThat(backup.bytes()).isEqualTo(Files.size(backup.list().get(0)));
    assertThat(backup.firstSequence()).hasValue(0);
  }

  @Test
  void shouldBeAStreamThatZstdUnpacksToTheBlock() throws IOException {
    BlockBuilder block = large(7);

    Path zst = archive(block);

    try (InputStream in = new ZstdInputStream(Files.newInputStream(zst))) {
      assertThat(in.readAllBytes()).isEqualTo(block.content());
    }
  }

  @Test
  void shouldCutFramesOfAtMostOneMegabyteBetweenDocuments() throws IOException {
    BlockBuilder block = large(7);

    Path zst = archive(block);

    byte[] compressed = Files.readAllBytes(zst);
    BackupSeal seal = BackupSeal.read(zst.resolveSibling("b00000007.seal"));
    List<Long> sizes = new ArrayList<>();
    int at = 0;
    for (Frame frame : seal.frames()) {
      assertThat(frame.offset()).isEqualTo(at);
      assertThat(Zstd.findFrameCompressedSize(compressed, at)).isEqualTo(frame.length());
      at += (int) frame.length();
      sizes.add(frame.bytes());
    }
    assertThat(at).isEqualTo(compressed.length);
    assertThat(sizes).filteredOn(size -> size > BlockCompressor.FRAME_BYTES).hasSize(1);
    assertThat(sizes).hasSizeGreaterThan(4);
    assertHoldsSome(block);
  }

  /** About 4 MB, with one document of 3 MB in the middle and a stretch that holds no message. */
  private static BlockBuilder large(int number) {
    Random random = new Random(1);
    BlockBuilder block = new BlockBuilder(QUEUE, number, 0);
    for (int i = 0; i < 8_000; i++) {
      block.message(i, json(random, i));
    }
    byte[] data = new byte[3 << 20];
    random.nextBytes(data);
    block.message(8_000, data);
    block.hidden(700_000).hidden(700_000);
    for (int i = 8_001; i < 16_000; i++) {
      block.message(i, json(random, i));
    }
    return block.hidden(900_000).hidden(900_000);
  }

  private void assertHoldsSome(BlockBuilder block) {
    int last = block.messages().size() - 1;
    for (int place : new int[] {0, 1, 7_998, 7_999, 8_000, 8_001, 8_002, last - 1, last}) {
      assertSame(backup.read(place).orElseThrow(), block, place);
      assertThat(backup.sequenceAt(place)).hasValue(place);
    }
  }

  @Test
  void shouldTakeADocumentOfExactlyOneFrame() throws IOException {
    int overhead = new BlockBuilder(QUEUE, 1, 0).message(1, new byte[0]).content().length;
    BlockBuilder block = new BlockBuilder(QUEUE, 1, 0);
    block.message(1, new byte[BlockCompressor.FRAME_BYTES - overhead]);
    block.message(2, new byte[BlockCompressor.FRAME_BYTES - 100]);
    block.message(3, new byte[0]);

    Path zst = archive(block);

    assertThat(backup.verify(zst).ok()).isTrue();
    assertHolds(block);
  }

  @Test
  void shouldBeReadableByItsOwnerOnly() throws IOException {
    Path zst = archive(block(1, 0, 10, 1));

    assertThat(mode(zst)).isEqualTo("rw-------");
    assertThat(mode(zst.resolveSibling("b00000001.seal"))).isEqualTo("rw-------");
    for (Path folder = zst.getParent(); !folder.equals(temporary); folder = folder.getParent()) {
      assertThat(mode(folder)).isEqualTo("rwx------");
    }
  }

  private static String mode(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }

  @Test
  void shouldRefuseABlockWithADamagedMessageAndLeaveNothing() throws IOException {
    BlockBuilder block = block(3, 10, 300, 1);
    Path file = block.write(blocks);
    flip(file, block.content().length / 2, 0x10);

    assertThatThrownBy(() -> backup.archive(block.seal(), file))
        .isInstanceOf(DamagedMessageException.class)
        .hasMessageContaining("orders")
        .hasMessageContaining("damaged")
        .hasMessageContaining(file.toString());

    assertThat(directory).isEmptyDirectory();
    assertThat(file).exists();
    assertThat(backup.read(10)).isEmpty();
  }

  @Test
  void shouldRefuseEveryBlockThatIsNotWhatItsSealSays() throws IOException {
    BlockBuilder block = block(3, 10, 300, 1);
    Path file = block.write(blocks);
    Seal seal = block.seal();
    long bytes = seal.bytes();
    for (Seal wrong :
        List.of(
            seal(seal, 3, 10, 300, bytes, seal.digest() + 1),
            seal(seal, 3, 10, 299, bytes, seal.digest()),
            seal(seal, 3, 9, 300, bytes, seal.digest()),
            seal(seal, 4, 10, 300, bytes, seal.digest()),
            seal(seal, 3, 10, 300, bytes - 200, seal.digest()),
            seal(seal, 3, 10, 300, bytes + 8, seal.digest()),
            seal(seal, 3, 10, 300, bytes + 100_000, seal.digest()))) {
      assertThatThrownBy(() -> backup.archive(wrong, file))
          .isInstanceOf(DamagedMessageException.class);
    }

    assertThat(directory).isEmptyDirectory();
  }

  private static Seal seal(
      Seal like, int block, long first, long messages, long bytes, long digest) {
    return new Seal(
        like.queue(),
        block,
        first,
        messages,
        like.documents(),
        bytes,
        like.firstMicros(),
        like.lastMicros(),
        digest,
        0);
  }

  @Test
  void shouldRefuseABlockOfAnotherQueue() throws IOException {
    BlockBuilder other = new BlockBuilder(new UUID(1, 1), 3, 0).message(1, new byte[9]);
    BlockBuilder own = new BlockBuilder(QUEUE, 3, 0).message(1, new byte[9]);
    Path file = other.write(blocks);

    assertThatThrownBy(() -> backup.archive(own.seal(), file))
        .isInstanceOf(DamagedMessageException.class);
  }

  @Test
  void shouldSayThatTheBlockFileIsMissing() {
    Seal seal = block(3, 10, 300, 1).seal();

    assertThatThrownBy(() -> backup.archive(seal, blocks.resolve("b00000003.cq4")))
        .isInstanceOf(IOException.class);

    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void shouldLeaveNothingWhenTheBackupCannotBeWritten() throws IOException {
    Files.createDirectories(directory.resolve("2026/11"));
    Files.writeString(directory.resolve("2026/11/20"), "in the way");
    BlockBuilder block = block(3, 10, 300, 1);

    assertThatThrownBy(() -> archive(block)).isInstanceOf(IOException.class);
    assertThat(files()).containsExactly("2026/11/20");

    time.advance(Duration.ofHours(1));
    archive(block);
    assertHolds(block);
  }

  @Test
  void shouldKeepTheBackupOfABlockThatWasNotDeletedBeforeACrash() throws IOException {
    BlockBuilder block = block(3, 10, 300, 1);
    Path first = archive(block);
    byte[] seal = Files.readAllBytes(first.resolveSibling("b00000003.seal"));
    time.advance(Duration.ofDays(1));
    restart();

    Path second = archive(block);

    assertThat(second).isEqualTo(first);
    assertThat(first.resolveSibling("b00000003.seal")).hasBinaryContent(seal);
    assertThat(files()).hasSize(2);
  }

  @Test
  void shouldKnowABlockAgainWhoseEndWasFoundAnewByARecovery() throws IOException {
    BlockBuilder block = block(3, 10, 300, 1);
    Seal seal = block.seal();
    Path first = archive(block);
    restart();

    Seal recovered = seal(seal, 3, 10, 300, block.hidden(40).seal().bytes(), seal.digest());

    assertThat(backup.archive(recovered, block.write(blocks))).isEqualTo(first);
  }

  @Test
  void shouldReplaceADamagedBackupOfABlockThatIsStillThere() throws IOException {
    BlockBuilder block = block(3, 10, 300, 1);
    Path first = archive(block);
    flip(first, Files.size(first) / 2, 0x40);
    time.advance(Duration.ofDays(1));
    restart();

    Path second = archive(block);

    assertWarned(first);
    assertThat(second).isEqualTo(directory.resolve("2026/11/21/b00000003.cq4.zst"));
    assertThat(first).doesNotExist();
    assertHolds(block);
  }

  @Test
  void shouldNotTouchTheBackupOfAnEarlierQueueOfTheSameName() throws IOException {
    BlockBuilder earlier =
        new BlockBuilder(new UUID(7, 7), 3, 10).message(1, "old".getBytes(UTF_8));
    Path old;
    try (Backup former = new Backup("orders", new UUID(7, 7), directory, RETENTION, time)) {
      old = former.archive(earlier.seal(), earlier.write(blocks));
    }
    byte[] content = Files.readAllBytes(old);
    BlockBuilder block = block(3, 10, 300, 1);

    Path zst = archive(block);

    assertThat(zst).hasFileName("b00000003-2.cq4.zst");
    assertThat(old).hasBinaryContent(content);
    restart();
    assertHolds(block);
    assertThat(backup.list()).containsExactly(zst);
    assertThat(backup.count()).isOne();
    assertThat(backup.verify(old).ok()).isTrue();
  }

  @Test
  void shouldRemoveWhatACrashLeft() throws IOException {
    BlockBuilder first = block(1, 0, 100, 1);
    Path whole = archive(first);
    Path folder = whole.getParent();
    Files.write(folder.resolve("b00000002.cq4.zst.tmp"), new byte[] {1, 2, 3});
    Files.write(folder.resolve("b00000002.seal.tmp"), new byte[] {1, 2, 3});
    Files.copy(folder.resolve("b00000001.seal"), folder.resolve("b00000002.seal"));
    Files.createDirectories(directory.resolve("2026/10/31"));
    restart();

    assertThat(backup.count()).isOne();
    assertThat(folder.resolve("b00000002.seal")).exists(); // looking changes nothing
    BlockBuilder second = block(2, 100, 100, 1);
    archive(second);

    assertThat(files())
        .containsExactly(
            "2026/11/20/b00000001.cq4.zst",
            "2026/11/20/b00000001.seal",
            "2026/11/20/b00000002.cq4.zst",
            "2026/11/20/b00000002.seal");
    assertThat(directory.resolve("2026/10")).doesNotExist();
    assertHolds(first);
    assertHolds(second);
  }

  @Test
  void shouldHaveTheBlockOrItsBackupAfterACrashAtAnyPoint() throws IOException {
    BlockBuilder block = block(1, 0, 100, 1);
    Path zst = archive(block);
    byte[] data = Files.readAllBytes(zst);
    byte[] seal = Files.readAllBytes(zst.resolveSibling("b00000001.seal"));
    List<List<String>> steps =
        List.of(
            List.of("tmp"),
            List.of("tmp", "seal.tmp"),
            List.of("tmp", "seal"),
            List.of("zst", "seal"));
    for (List<String> step : steps) {
      for (Path file : List.of(zst, zst.resolveSibling("b00000001.seal"))) {
        Files.deleteIfExists(file);
      }
      for (String file : step) {
        boolean half = file.equals("tmp") || file.endsWith(".tmp");
        byte[] all = file.startsWith("seal") ? seal : data;
        Files.write(
            zst.resolveSibling(name(file)), half ? Arrays.copyOf(all, all.length / 2) : all);
      }
      restart();

      assertThat(backup.count()).as("%s", step).isEqualTo(step.contains("zst") ? 1 : 0);
      assertThat(archive(block)).as("%s", step).isEqualTo(zst);
      assertThat(files()).as("%s", step).hasSize(2);
      assertHolds(block);
    }
    assertThat(warnings()).isEmpty();
  }

  private static String name(String file) {
    return switch (file) {
      case "tmp" -> "b00000001.cq4.zst.tmp";
      case "zst" -> "b00000001.cq4.zst";
      default -> "b00000001." + file;
    };
  }

  @Test
  void shouldRefuseToArchiveOnceItIsClosed() {
    BlockBuilder block = block(1, 0, 100, 1);
    backup.close();
    backup.close();

    assertThatThrownBy(() -> archive(block)).isInstanceOf(QueueClosedException.class);
    assertThatThrownBy(() -> backup.expire()).isInstanceOf(QueueClosedException.class);
    assertThatThrownBy(() -> backup.read(0)).isInstanceOf(QueueClosedException.class);
    assertThat(directory).doesNotExist();
  }
}
