package com.wookler.river.tools.inspect;

import com.wookler.river.common.errors.DamagedException;
import com.wookler.river.core.backup.BackupFiles;
import com.wookler.river.core.backup.BackupRewriter;
import com.wookler.river.core.backup.StoredBlock;
import com.wookler.river.core.log.files.BlockCompactor;
import com.wookler.river.core.message.DamagedMessageException;
import com.wookler.river.core.message.DocumentEraser;
import java.io.IOException;
import java.util.List;

/**
 * Erases messages of backups. The erased backup is a new one beside the old, of another name, which
 * is complete before the old one is deleted: a crash leaves one of them or both.
 */
final class BackupEraser {
  private final DocumentEraser eraser;

  /** Creates an eraser of the backups of one queue. */
  BackupEraser(DocumentEraser eraser) {
    this.eraser = eraser;
  }

  /**
   * Returns how many messages {@link #replace} would erase.
   *
   * @throws DamagedMessageException a part of it cannot be read
   */
  long count(StoredBlock stored) throws IOException {
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
  void replace(StoredBlock stored, List<StoredBlock> all) throws IOException {
    for (StoredBlock other : all) {
      if (isErasedCopy(other, stored)) {
        BackupRewriter.delete(stored); // a crash came before that
        return;
      }
    }
    BackupRewriter.write(
        stored,
        (block, seal) -> {
          BlockCompactor.require(block, seal);
          new BlockEraser(seal.queue(), seal.block(), eraser).erase(block);
          return BlockCompactor.reseal(block, seal, seal.bytes());
        });
    BackupRewriter.delete(stored);
  }

  private boolean isErasedCopy(StoredBlock other, StoredBlock of) throws IOException {
    try {
      return !other.file().equals(of.file())
          && other.isSameBlock(of)
          && BackupFiles.verify(other.file(), bytes -> {}).ok()
          && count(other) == 0;
    } catch (DamagedException e) {
      return false;
    }
  }
}
