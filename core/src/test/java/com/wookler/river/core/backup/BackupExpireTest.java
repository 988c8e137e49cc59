package com.wookler.river.core.backup;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class BackupExpireTest extends BackupFixture {
  private static final Duration INSTANT = Duration.ofNanos(1_000);

  @Test
  void shouldRemoveABackupWhenItsTimeIsUpAndNotSooner() throws IOException {
    Path zst = archive(block(1, 0, 100, 1));

    time.advance(RETENTION.minus(INSTANT));
    assertThat(backup.expire()).isZero();
    assertThat(zst).exists();

    time.advance(INSTANT);
    assertThat(backup.expire()).isOne();
    assertThat(directory).isEmptyDirectory();
    assertThat(backup.count()).isZero();
    assertThat(backup.read(0)).isEmpty();
    assertThat(backup.expire()).isZero();
  }

  @Test
  void shouldCountFromTheBackupAfterARestartToo() throws IOException {
    Path zst = archive(block(1, 0, 100, 1));
    time.advance(RETENTION.minus(INSTANT));
    restart();

    assertThat(backup.expire()).isZero();
    assertThat(zst).exists();

    time.advance(INSTANT);
    restart();
    assertThat(backup.expire()).isOne();
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void shouldCountFromTheFirstBackupOfABlock() throws IOException {
    BlockBuilder block = block(1, 0, 100, 1);
    archive(block);
    time.advance(RETENTION.minus(INSTANT));
    archive(block);

    time.advance(INSTANT);

    assertThat(backup.expire()).isOne();
  }

  @Test
  void shouldRemoveFoldersOnlyWhenTheyAreEmpty() throws IOException {
    archive(block(1, 0, 100, 1));
    time.advance(Duration.ofDays(20));
    BlockBuilder kept = block(2, 100, 100, 1);
    archive(kept);

    assertThat(backup.expire()).isOne();

    assertThat(files())
        .containsExactly("2026/12/10/b00000002.cq4.zst", "2026/12/10/b00000002.seal");
    assertThat(directory.resolve("2026/11")).doesNotExist();
    assertHolds(kept);
    assertThat(backup.firstSequence()).hasValue(100);
  }

  @Test
  void shouldKeepFilesThatAreNotBackups() throws IOException {
    Path zst = archive(block(1, 0, 100, 1));
    Path notes = Files.writeString(zst.resolveSibling("notes.txt"), "keep");
    time.advance(RETENTION);

    assertThat(backup.expire()).isOne();

    assertThat(files()).containsExactly("2026/11/20/notes.txt");
    assertThat(notes).hasContent("keep");
  }

  @Test
  void shouldKeepABackupWhoseAgeIsUnknown() throws IOException {
    Path zst = archive(block(1, 0, 100, 1));
    Path seal = zst.resolveSibling("b00000001.seal");
    flip(seal, 100, 1);
    time.advance(RETENTION.multipliedBy(10));
    restart();

    assertThat(backup.expire()).isZero();

    assertThat(zst).exists();
    assertWarned(zst);
  }

  @Test
  void shouldRemoveOldBackupsOfAnEarlierQueueOfTheSameName() throws IOException {
    BlockBuilder earlier = new BlockBuilder(new UUID(7, 7), 3, 10).message(1, new byte[3]);
    try (Backup former = new Backup("orders", new UUID(7, 7), directory, RETENTION, time)) {
      former.archive(earlier.seal(), earlier.write(blocks));
    }
    time.advance(RETENTION);

    assertThat(backup.expire()).isOne();

    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void shouldKeepForEverWithoutARetention() throws IOException {
    for (Duration never : new Duration[] {Duration.ZERO, Duration.ofDays(-1)}) {
      try (Backup keeping = new Backup("orders", QUEUE, directory, never, time)) {
        BlockBuilder block = block(1, 0, 100, 1);
        keeping.archive(block.seal(), block.write(blocks));
        time.advance(Duration.ofDays(1_000));

        assertThat(keeping.expire()).isZero();
        assertThat(keeping.count()).isOne();
      }
    }
  }

  @Test
  void shouldTakeARetentionOfAnyLength() throws IOException {
    Duration ages = Duration.ofDays(365L * 1_000_000);
    try (Backup keeping = new Backup("orders", QUEUE, directory, ages, time)) {
      BlockBuilder block = block(1, 0, 100, 1);
      keeping.archive(block.seal(), block.write(blocks));

      assertThat(keeping.expire()).isZero();
    }
  }

  @Test
  void shouldFinishAnExpiryThatACrashCutShort() throws IOException {
    Path zst = archive(block(1, 0, 100, 1));
    time.advance(RETENTION);
    Files.delete(zst);
    restart();

    assertThat(backup.expire()).isEqualTo(1);

    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void shouldReportABackupOfWhichOnlyTheSealIsLeftBeforeItsTime() throws IOException {
    Path zst = archive(block(1, 0, 100, 1));
    Files.delete(zst);
    restart();

    assertThat(backup.expire()).isZero();
    assertThat(backup.read(5)).isEmpty();

    assertThat(backup.damageOf(5, 100))
        .hasValueSatisfying(
            damage -> {
              assertThat(damage.first()).isZero();
              assertThat(damage.end()).isEqualTo(100);
            });
  }
}
