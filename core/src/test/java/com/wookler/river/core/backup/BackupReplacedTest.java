package com.wookler.river.core.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.wookler.river.core.message.DocumentReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Backups that another process replaces while they are listed, opened and read. */
class BackupReplacedTest extends BackupFixture {
  private static final long MICROS = 1_790_000_000_000_000L;
  private static final int BLOCKS = 8;
  private static final int EACH = 20;

  private List<StoredBlock> archiveAll() throws IOException {
    for (int i = 0; i < BLOCKS; i++) {
      archive(block(i, (long) i * EACH, EACH, MICROS));
    }
    return BackupFiles.scan(directory).blocks();
  }

  private static StoredBlock replace(StoredBlock stored) {
    try {
      StoredBlock made = BackupRewriter.write(stored, (block, seal) -> seal);
      BackupRewriter.delete(stored);
      return made;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Replaces a backup by one with other content, which has its name in the end. */
  private void change(StoredBlock stored) throws IOException {
    BackupRewriter.delete(stored);
    assertThat(archive(block(3, 60, EACH, MICROS + 1))).isEqualTo(stored.file());
  }

  private static Path folder(StoredBlock stored) {
    return Objects.requireNonNull(stored.file().getParent());
  }

  /** Files that the scan reports: that is when the test acts. */
  private static void addStrays(Path folder) throws IOException {
    for (int i = 0; i < 40; i++) {
      Files.createFile(folder.resolve("stray" + i));
    }
  }

  private static List<Long> sequences(StoredBlock stored) throws IOException {
    List<Long> sequences = new ArrayList<>();
    DocumentReader reader = new DocumentReader(QUEUE);
    BackupFiles.walk(
        stored,
        0,
        (offset, document, length) -> {
          reader.open(document, length, stored.block().block());
          while (reader.hasNext()) {
            sequences.add(reader.next().sequence());
          }
        },
        (offset, what) -> {
          throw new AssertionError(what);
        });
    return sequences;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void shouldFindEachBackupThatIsReplacedWhileItsFolderIsListed(int times) throws IOException {
    List<StoredBlock> before = archiveAll();
    addStrays(folder(before.get(0)));
    boolean[] done = {false};
    List<String> reports = new ArrayList<>();
    BackupScan scan =
        new BackupScan(
            new BackupLayout(directory),
            (file, what) -> {
              reports.add(file.getFileName().toString());
              for (StoredBlock stored : done[0] ? List.<StoredBlock>of() : before) {
                StoredBlock now = stored;
                for (int i = 0; i < times; i++) {
                  now = replace(now);
                }
              }
              done[0] = true;
            });

    scan.run();

    assertThat(scan.blocks)
        .extracting(stored -> stored.block().block())
        .contains(0, 1, 2, 3, 4, 5, 6, 7);
    assertThat(scan.blocks).extracting(StoredBlock::file).allMatch(Files::exists);
    assertThat(scan.blocks).doesNotHaveDuplicates();
    assertThat(scan.damaged).isEmpty();
    assertThat(scan.sealsAlone).isEmpty();
    assertThat(reports).hasSize(40).allMatch(name -> name.startsWith("stray"));
  }

  @Test
  void shouldFailIfAFolderNeverSettles() throws IOException {
    Path folder = folder(archiveAll().get(0));
    int[] made = {0};
    Files.createFile(folder.resolve("stray"));
    BackupScan scan =
        new BackupScan(
            new BackupLayout(directory),
            (file, what) -> {
              try {
                Files.createFile(folder.resolve("stray" + made[0]++));
                Files.setLastModifiedTime(folder, FileTime.fromMillis(made[0]));
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            });

    assertThatThrownBy(scan::run)
        .isInstanceOf(IOException.class)
        .hasMessage(folder + " changes faster than it can be listed");
  }

  @Test
  void shouldKnowWhatIsOnTheMoveFromWhatIsMissing() throws IOException {
    StoredBlock stored = archiveAll().get(3);
    StoredBlock made = BackupRewriter.write(stored, (block, seal) -> seal);
    assertThat(BackupFiles.scan(directory).blocks()).contains(stored, made).hasSize(BLOCKS + 1);
    assertThat(BackupFiles.now(stored)).contains(stored);
    Files.delete(stored.file()); // and its seal is there still
    assertThat(BackupFiles.scan(directory).blocks()).contains(made).hasSize(BLOCKS);
    assertThat(BackupFiles.now(stored)).contains(made);
    BackupRewriter.delete(stored);
    assertThat(BackupFiles.scan(directory).blocks()).contains(made).hasSize(BLOCKS);
    Files.delete(BackupLayout.sealOf(made.file()));
    assertThat(BackupFiles.scan(directory).unexpected())
        .singleElement()
        .satisfies(found -> assertThat(found.what()).contains("its seal is missing"));
    assertThat(BackupFiles.now(stored)).isEmpty();
  }

  @Test
  void shouldReadABackupUnderTheNameThatItHasBeenGiven() throws IOException {
    StoredBlock stored = archiveAll().get(3);
    List<Long> all = LongStream.range(60, 80).boxed().toList();
    StoredBlock made = replace(stored);
    assertThat(made.file()).isNotEqualTo(stored.file());
    assertThat(sequences(stored)).isEqualTo(all);
    replace(made);
    assertThat(sequences(made)).isEqualTo(all);
    BackupRewriter.delete(stored);
    assertThatThrownBy(() -> sequences(stored)).isInstanceOf(IOException.class);
  }

  /** The seal of one that is no more, and the data of the one that has its name. */
  @Test
  void shouldReadDataByTheirOwnSeal() throws IOException {
    StoredBlock stored = archiveAll().get(3);
    int[] opened = {0};
    OpenBackup.Opener opener =
        zst -> {
          if (opened[0]++ == 0) {
            try {
              change(stored);
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          }
          return new FrameFile(zst);
        };
    try (OpenBackup backup = OpenBackup.of(stored.file(), opener)) {
      assertThat(backup.seal().block().digest()).isNotEqualTo(stored.block().digest());
      assertThat(backup.file().length()).isEqualTo(backup.seal().length());
      for (Frame frame : backup.seal().frames()) {
        assertThat(backup.file().walk(frame, (offset, document, length) -> {})).isNull();
      }
    }
    assertThat(opened[0]).isEqualTo(2);
  }

  @Test
  void shouldFailIfABackupIsReplacedAgainAndAgain() throws IOException {
    StoredBlock stored = archiveAll().get(3);
    long[] made = {0};
    OpenBackup.Opener opener =
        zst -> {
          BackupSeal seal = BackupSeal.read(BackupLayout.sealOf(zst));
          BackupSeal other = new BackupSeal(seal.block(), ++made[0], seal.length(), seal.frames());
          Files.write(BackupLayout.sealOf(zst), other.encode());
          return new FrameFile(zst);
        };
    assertThatThrownBy(() -> OpenBackup.of(stored.file(), opener))
        .isInstanceOf(IOException.class)
        .hasMessage(stored.file() + " is replaced again and again while it is read");
  }
}
