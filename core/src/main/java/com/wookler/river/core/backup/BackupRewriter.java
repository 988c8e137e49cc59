package com.wookler.river.core.backup;

import com.wookler.river.common.file.DurableFiles;
import com.wookler.river.core.log.files.Seal;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Makes another backup of a block beside the one that is there, of another name and with other
 * content. It is complete before the old one is deleted: a crash leaves one of them or both.
 */
public final class BackupRewriter {
  private BackupRewriter() {}

  /** Changes the content of a block. */
  @FunctionalInterface
  public interface Change {
    /** Changes or replaces a block's file, and returns its new seal. */
    Seal apply(Path block, Seal seal) throws IOException;
  }

  /** Writes the new backup; the old one is there still. */
  public static StoredBlock write(StoredBlock stored, Change change) throws IOException {
    Path folder = Objects.requireNonNull(stored.file().getParent());
    Path zst = BackupLayout.freeName(folder, stored.block().block());
    Path seal = BackupLayout.sealOf(zst);
    Path temporary = temporary(zst);
    Path block = temporary(seal); // its name is that of a leftover, too
    try {
      try (OutputStream out =
          new BufferedOutputStream(Channels.newOutputStream(DurableFiles.create(block)))) {
        BackupFiles.unpack(stored, out);
      }
      Seal changed = change.apply(block, stored.block());
      BackupSeal made = Backup.compress(changed, block, temporary, stored.madeMicros());
      Files.delete(block);
      DurableFiles.write(seal, made.encode());
      DurableFiles.rename(temporary, zst);
      return StoredBlock.of(zst, made);
    } finally {
      Files.deleteIfExists(block);
      Files.deleteIfExists(temporary);
    }
  }

  /** Deletes a backup. */
  public static void delete(StoredBlock stored) throws IOException {
    BackupLayout.delete(stored.file());
    DurableFiles.forceDirectory(Objects.requireNonNull(stored.file().getParent()));
  }

  /** Deletes what a crash has left of backups that were being made, or were deleted. */
  public static void deleteLeftovers(Path directory) throws IOException {
    BackupScan scan = new BackupScan(new BackupLayout(directory), (file, what) -> {}).run();
    List<Path> seals = new ArrayList<>(scan.leftovers);
    seals.removeIf(BackupLayout::isTemporary);
    for (StoredBlock alone : scan.sealsAlone) {
      if (scan.blocks.stream().anyMatch(other -> other.isSameBlock(alone))) {
        seals.add(BackupLayout.sealOf(alone.file()));
      }
    }
    scan.leftovers.removeAll(seals);
    for (List<Path> each : List.of(seals, scan.leftovers)) { // a seal without file is the last
      for (Path leftover : each) {
        Files.deleteIfExists(leftover);
      }
    }
  }

  private static Path temporary(Path file) {
    return file.resolveSibling(file.getFileName() + DurableFiles.TEMPORARY);
  }
}
