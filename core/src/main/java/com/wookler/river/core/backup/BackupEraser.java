package com.wookler.river.core.backup;

import com.wookler.river.common.errors.DamagedException;
import com.wookler.river.common.file.DurableFiles;
import com.wookler.river.core.log.files.BlockEraser;
import com.wookler.river.core.log.files.Seal;
import com.wookler.river.core.message.DamagedMessageException;
import com.wookler.river.core.message.DocumentEraser;
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
 * Erases messages of backups. The erased backup is a new one beside the old, of another name, which
 * is complete before the old one is deleted: a crash leaves one of them or both.
 */
public final class BackupEraser {
  private final DocumentEraser eraser;

  /** Creates an eraser of the backups of one queue. */
  public BackupEraser(DocumentEraser eraser) {
    this.eraser = eraser;
  }

  /**
   * Returns how many messages {@link #replace} would erase.
   *
   * @throws DamagedMessageException a part of it cannot be read
   */
  public long count(StoredBlock stored) throws IOException {
    long[] found = {0};
    int block = stored.block().block();
    BackupFiles.walk(
        stored,
        stored.block().firstSequence(),
        (offset, document, length) -> found[0] += eraser.erase(document, length, block),
        (offset, what) -> {
          throw new DamagedMessageException("damaged: byte " + offset + ": " + what);
        });
    return found[0];
  }

  /**
   * Erases messages of a backup.
   *
   * @param all the backups of its directory
   * @throws DamagedMessageException it is not what its seal says; nothing was changed
   */
  public void replace(StoredBlock stored, List<StoredBlock> all) throws IOException {
    for (StoredBlock other : all) {
      if (isErasedCopy(other, stored)) {
        delete(stored); // a crash came before that
        return;
      }
    }
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
      BlockEraser.reseal(block, stored.block());
      new BlockEraser(stored.block().queue(), stored.block().block(), eraser).erase(block);
      Seal erased = BlockEraser.reseal(block, stored.block());
      BackupSeal made = Backup.compress(erased, block, temporary, stored.madeMicros());
      Files.delete(block);
      DurableFiles.write(seal, made.encode());
      DurableFiles.rename(temporary, zst);
    } finally {
      Files.deleteIfExists(block);
      Files.deleteIfExists(temporary);
    }
    delete(stored);
  }

  private boolean isErasedCopy(StoredBlock other, StoredBlock of) throws IOException {
    try {
      return !other.file().equals(of.file())
          && isSameBlock(other, of)
          && BackupFiles.verify(other.file(), bytes -> {}).ok()
          && count(other) == 0;
    } catch (DamagedException e) {
      return false;
    }
  }

  private static void delete(StoredBlock stored) throws IOException {
    BackupLayout.delete(stored.file());
    DurableFiles.forceDirectory(Objects.requireNonNull(stored.file().getParent()));
  }

  /** Deletes what a crash has left of backups that were being made, or were deleted. */
  public static void deleteLeftovers(Path directory) throws IOException {
    BackupScan scan = new BackupScan(new BackupLayout(directory), (file, what) -> {}).run();
    List<Path> seals = new ArrayList<>(scan.leftovers);
    seals.removeIf(BackupLayout::isTemporary);
    for (StoredBlock alone : scan.sealsAlone) {
      if (scan.blocks.stream().anyMatch(other -> isSameBlock(other, alone))) {
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

  private static boolean isSameBlock(StoredBlock other, StoredBlock of) {
    Seal seal = other.block();
    return seal.equals(of.block().withDigest(seal.digest()));
  }

  private static Path temporary(Path file) {
    return file.resolveSibling(file.getFileName() + DurableFiles.TEMPORARY);
  }
}
