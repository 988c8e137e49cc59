package com.wookler.river.tools.inspect;

import com.wookler.river.core.backup.BackupFiles;
import com.wookler.river.core.backup.StoredBlock;
import com.wookler.river.core.backup.Verification;
import com.wookler.river.core.log.files.Seal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Verifies all backups in a directory: every message, every seal, every frame, and that one follows
 * the other. Reads only, in bounded memory, also while a queue writes new ones.
 */
public final class BackupVerifier {
  private static final int TRIES = 20; // of a backup that is replaced

  private BackupVerifier() {}

  /**
   * Verifies a directory, {@code <backup.directory>/<queue>}.
   *
   * @throws com.wookler.river.common.errors.ConfigurationException there is no such directory, or
   *     no backup in it
   */
  public static QueueVerifier.Result verify(
      Path directory, Consumer<Finding> findings, Progress progress) throws IOException {
    if (!Files.isDirectory(directory)) {
      throw WrongDirectoryErrors.neither(directory);
    }
    Reporter report = new Reporter(findings);
    BackupFiles files = BackupFiles.scan(directory);
    if (!WrongDirectoryErrors.holdsBackups(files)) {
      throw WrongDirectoryErrors.neither(directory);
    }
    for (BackupFiles.UnexpectedFile found : files.unexpected()) {
      if (found.isBackup()) {
        report.damage(found.file(), found.what());
      } else {
        report.note(found.file(), found.what());
      }
    }
    progress.total(files.blocks().stream().mapToLong(StoredBlock::length).sum());
    long messages = 0;
    StoredBlock before = null;
    List<Gap> gaps = new ArrayList<>();
    for (StoredBlock stored : files.blocks()) {
      compare(before, stored, report, gaps);
      Verification verification = verify(stored, progress);
      if (!verification.ok() && !Files.exists(verification.file())) {
        report.note(stored.file(), "has expired meanwhile");
        continue;
      }
      for (Verification.Damage damage : verification.damages()) {
        report.damage(
            verification.file(), damage.block(), damage.sequence(), damage.offset(), damage.what());
      }
      report.ended(stored.file(), stored.block().block());
      messages += verification.messages();
      before = stored;
    }
    report(gaps, directory, report);
    return new QueueVerifier.Result(files.blocks().size(), messages, 0, report.damages());
  }

  /** Verifies a backup; where it was replaced meanwhile, the one that is there now. */
  private static Verification verify(StoredBlock listed, Progress progress) throws IOException {
    StoredBlock stored = listed;
    Verification verification = BackupFiles.verify(stored.file(), progress::done);
    for (int tries = 1; tries < TRIES && !verification.ok(); tries++) {
      Optional<StoredBlock> now = BackupFiles.now(stored);
      if (now.isEmpty() || now.get().equals(stored)) {
        return verification;
      }
      stored = now.get();
      verification = BackupFiles.verify(stored.file(), bytes -> {});
    }
    return verification;
  }

  private record Gap(StoredBlock last, StoredBlock next) {
    long sequence() {
      return last.block().endSequence();
    }
  }

  private static void compare(
      @Nullable StoredBlock before, StoredBlock stored, Reporter report, List<Gap> gaps) {
    if (before == null || !before.block().queue().equals(stored.block().queue())) {
      return;
    }
    if (stored.block().firstSequence() > before.block().endSequence()) {
      gaps.add(new Gap(before, stored));
    } else if (stored.block().firstSequence() < before.block().endSequence()) {
      report.note(
          stored.file(), stored.block().block(), "holds what " + before.file() + " holds too");
    }
  }

  /** A backup that was made while the directory was listed may be missing from the list. */
  private static void report(List<Gap> gaps, Path directory, Reporter report) throws IOException {
    List<StoredBlock> now = gaps.isEmpty() ? List.of() : BackupFiles.scan(directory).blocks();
    for (Gap gap : gaps) {
      Seal last = gap.last().block();
      boolean filled =
          now.stream()
              .anyMatch(
                  stored ->
                      stored.block().queue().equals(last.queue()) && stored.holds(gap.sequence()));
      if (!filled) {
        report.damage(
            gap.next().file(),
            gap.next().block().block(),
            gap.sequence(),
            Finding.UNKNOWN,
            String.format(
                "sequences %d to %d are in no backup: those before it end with block %d",
                gap.sequence(), gap.next().block().firstSequence() - 1, last.block()));
      }
    }
  }
}
