package com.wookler.river.core.backup;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.core.message.StoredMessage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class BackupReadTest extends BackupFixture {
  @Test
  void shouldHaveNothingWithoutBackups() {
    assertThat(backup.read(0)).isEmpty();
    assertThat(backup.sequenceAt(0)).isEmpty();
    assertThat(backup.firstSequence()).isEmpty();
    assertThat(backup.count()).isZero();
    assertThat(backup.bytes()).isZero();
    assertThat(backup.list()).isEmpty();
    assertThat(directory).doesNotExist();
  }

  @Test
  void shouldReadBySequenceAcrossBackupsAndDays() throws IOException {
    List<BlockBuilder> all = archiveSeveral();

    for (int round = 0; round < 2; round++) {
      all.forEach(this::assertHolds);
      assertThat(backup.firstSequence()).hasValue(50);
      assertThat(backup.count()).isEqualTo(4);
      assertThat(backup.read(49)).isEmpty();
      assertThat(backup.read(1_650)).isEmpty();
      restart();
    }
    assertThat(backup.list())
        .extracting(file -> directory.relativize(file).toString())
        .containsExactly(
            "2026/11/20/b00000001.cq4.zst",
            "2026/11/21/b00000002.cq4.zst",
            "2026/11/21/b00000003.cq4.zst",
            "2026/11/21/b00000004.cq4.zst");
  }

  private List<BlockBuilder> archiveSeveral() throws IOException {
    List<BlockBuilder> all = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      BlockBuilder block = block(i + 1, 50 + i * 400L, 400, 10_000_000L * (i + 1));
      archive(block);
      all.add(block);
      time.advance(Duration.ofMinutes(30));
    }
    return all;
  }

  @Test
  void shouldFindTheFirstMessageFromATimeOn() throws IOException {
    List<BlockBuilder> all = archiveSeveral();

    for (BlockBuilder block : all) {
      long sequence = block.seal().firstSequence();
      long before = 0;
      for (int i = 0; i < block.messages().size(); i++) {
        long micros = block.times().get(i);
        if (micros != before) {
          assertThat(backup.sequenceAt(micros)).hasValue(sequence + i);
          assertThat(backup.sequenceAt(micros - 1)).hasValue(sequence + i);
        }
        before = micros;
      }
    }
    assertThat(backup.sequenceAt(Long.MIN_VALUE)).hasValue(50);
    assertThat(backup.sequenceAt(all.get(3).seal().lastMicros() + 1)).isEmpty();
  }

  @Test
  void shouldReadWhileOthersAreArchivedAndExpire() throws Exception {
    List<BlockBuilder> all = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      all.add(block(i + 1, i * 50L, 50, i));
    }
    AtomicBoolean done = new AtomicBoolean();
    ExecutorService threads = Executors.newFixedThreadPool(2);
    List<Future<Integer>> readers = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      readers.add(threads.submit(() -> readUntil(done, all)));
    }
    try {
      for (BlockBuilder block : all) {
        archive(block);
        time.advance(Duration.ofDays(1));
        backup.expire();
      }
    } finally {
      done.set(true);
      threads.shutdown();
    }
    for (Future<Integer> reader : readers) {
      assertThat(get(reader)).isPositive();
    }
    assertThat(backup.count()).isEqualTo(6);
    assertThat(warnings()).isEmpty();
  }

  private static int get(Future<Integer> reader) throws InterruptedException {
    try {
      return reader.get();
    } catch (ExecutionException e) {
      throw new AssertionError(e.getCause());
    }
  }

  private int readUntil(AtomicBoolean done, List<BlockBuilder> all) {
    int found = 0;
    while (!done.get()) {
      long first = backup.firstSequence().orElse(0);
      for (long sequence = first; sequence < first + 200; sequence += 10) {
        Optional<StoredMessage> message = backup.read(sequence);
        if (message.isPresent()) {
          assertSame(message.get(), all.get((int) sequence / 50), (int) sequence % 50);
          found++;
        }
      }
    }
    return found;
  }

  @Test
  void shouldReadInAnInterruptedThread() throws IOException {
    BlockBuilder block = block(1, 0, 100, 1);
    archive(block);

    Thread.currentThread().interrupt();
    Optional<StoredMessage> message = backup.read(17);

    assertThat(Thread.interrupted()).isTrue();
    assertSame(message.orElseThrow(), block, 17);
  }

  @Test
  void shouldTakeADirectoryThatIsALink() throws IOException {
    Path elsewhere = Files.createDirectories(temporary.resolve("disk2"));
    Files.createDirectories(directory.getParent());
    Files.createSymbolicLink(directory, elsewhere);
    restart();
    BlockBuilder block = block(1, 0, 100, 1);
    archive(block);

    restart();

    assertHolds(block);
    assertThat(elsewhere.resolve("2026/11/20/b00000001.cq4.zst")).exists();
    assertThat(warnings()).isEmpty();
  }

  @Test
  void shouldSayThatABackupWasRemovedByHandAndGoOn() throws IOException {
    Path gone = archive(block(1, 0, 100, 1));
    BlockBuilder second = block(2, 100, 100, 1_000_000_000);
    archive(second);
    Files.delete(gone);

    assertThat(backup.read(5)).isEmpty();

    assertWarned(gone);
    assertThat(backup.sequenceAt(0)).hasValue(100);
    assertHolds(second);
  }

  @Test
  void shouldReportASecondBackupOfABlockAndReadTheFirst() throws IOException {
    BlockBuilder block = block(1, 0, 100, 1);
    Path first = archive(block);
    Path folder = Files.createDirectories(directory.resolve("2026/11/21"));
    Path second = Files.copy(first, folder.resolve(first.getFileName()));
    Files.copy(first.resolveSibling("b00000001.seal"), folder.resolve("b00000001.seal"));
    restart();

    assertHolds(block);

    assertWarned(second);
    assertThat(backup.count()).isOne();
    assertThat(backup.list()).containsExactly(first, second);
  }

  @Test
  void shouldReportForeignFilesAndLeaveThemAlone() throws IOException {
    BlockBuilder block = block(1, 0, 100, 1);
    Path zst = archive(block);
    List<Path> foreign =
        List.of(
            directory.resolve("notes.txt"),
            zst.resolveSibling("b1.cq4.zst"),
            zst.resolveSibling("b99999999999.cq4.zst"),
            zst.resolveSibling("b9999999999.cq4.zst"),
            zst.resolveSibling("b00000001.cq4"),
            zst.resolveSibling("other.tmp"));
    for (Path file : foreign) {
      Files.writeString(file, "?");
    }
    Path folder = Files.createDirectories(directory.resolve("2026/13/01"));
    Files.writeString(folder.resolve("b00000009.cq4.zst"), "?");
    Path link = Files.createSymbolicLink(zst.resolveSibling("b00000002.cq4.zst"), zst);
    restart();

    archive(block);
    backup.expire();

    assertHolds(block);
    foreign.forEach(this::assertWarned);
    foreign.forEach(file -> assertThat(file).exists());
    assertWarned(folder.getParent());
    assertWarned(link);
    assertThat(backup.list()).containsExactly(zst);
  }
}
